// Light around the lamp, which is added to what is there.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "COLOR"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.output
.param "SV_Target"[0].xyzw, o0.xyzw, float, target
.text
dcl_input_ps linear v2.xy
dcl_output o0.xyzw
dcl_temps 1
mad r0.xy, v2.xyxx, l(2.0, 2.0, 0, 0), l(-1.0, -1.0, 0, 0)
dp2 r0.x, r0.xyxx, r0.xyxx
add_sat r0.x, -r0.x, l(1.0)
mul r0.x, r0.x, r0.x
mul o0.xyz, r0.xxxx, l(0.55, 0.38, 0.14, 0)
mov o0.w, l(0)
ret
