// The picture and its bloom. The bloom lies in t1, 160 by 90 texels of four floats, of which four are mixed.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "COLOR"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.output
.param "SV_Target"[0].xyzw, o0.xyzw, float, target
.text
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_raw t1
dcl_input_ps linear v2.xy
dcl_output o0.xyzw
dcl_temps 7
sample r0.xyzw, v2.xyxx, t0.xyzw, s0
mad r1.xy, v2.xyxx, l(160.0, 90.0, 0, 0), l(-0.5, -0.5, 0, 0)
max r1.xy, r1.xyxx, l(0, 0, 0, 0)
min r1.xy, r1.xyxx, l(158.99, 88.99, 0, 0)
frc r1.zw, r1.xxxy
ftoi r2.xy, r1.xyxx
imad r2.x, r2.y, l(160), r2.x
ishl r2.x, r2.x, l(4)
ld_raw r3.xyzw, r2.x, t1.xyzw
iadd r2.y, r2.x, l(16)
ld_raw r4.xyzw, r2.y, t1.xyzw
iadd r2.y, r2.x, l(2560)
ld_raw r5.xyzw, r2.y, t1.xyzw
iadd r2.y, r2.x, l(2576)
ld_raw r6.xyzw, r2.y, t1.xyzw
add r4.xyzw, r4.xyzw, -r3.xyzw
mad r3.xyzw, r4.xyzw, r1.zzzz, r3.xyzw
add r6.xyzw, r6.xyzw, -r5.xyzw
mad r5.xyzw, r6.xyzw, r1.zzzz, r5.xyzw
add r5.xyzw, r5.xyzw, -r3.xyzw
mad r3.xyzw, r5.xyzw, r1.wwww, r3.xyzw
add o0.xyz, r0.xyzx, r3.xyzx
mov o0.w, l(1.0)
ret
