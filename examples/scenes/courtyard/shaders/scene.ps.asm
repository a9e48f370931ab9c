// A textured surface in the sun, with the shadow map read at four texels.
//
// t0, s0: the surface's texture. t1, s1: the shadow map. cb0[0]: direction to the sun.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "NORMAL"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.param "TEXCOORD"[1].xyz, v3.xyz, float
.output
.param "SV_Target"[0].xyzw, o0.xyzw, float, target
.text
dcl_constantbuffer cb0[1], immediateIndexed
dcl_sampler s0, mode_default
dcl_sampler s1, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_texture2d (float,float,float,float) t1
dcl_input_ps linear v1.xyz
dcl_input_ps linear v2.xy
dcl_input_ps linear v3.xyz
dcl_output o0.xyzw
dcl_temps 4
sample r0.xyzw, v2.xyxx, t0.xyzw, s0
lt r1.x, r0.w, l(0.5)
discard_nz r1.x
// Where the light sees this point, and how far the shadow map lets it go there.
mad r1.xy, v3.xyxx, l(0.5, -0.5, 0, 0), l(0.5, 0.5, 0, 0)
add r1.z, v3.z, l(-0.004)
add r2.xyzw, r1.xyxy, l(-0.0005, -0.0005, 0.0005, -0.0005)
sample r3.x, r2.xyxx, t1.xyzw, s1
sample r3.y, r2.zwzz, t1.yxzw, s1
add r2.xyzw, r1.xyxy, l(-0.0005, 0.0005, 0.0005, 0.0005)
sample r3.z, r2.xyxx, t1.yzxw, s1
sample r3.w, r2.zwzz, t1.yzwx, s1
lt r3.xyzw, r1.zzzz, r3.xyzw
and r3.xyzw, r3.xyzw, l(0.25, 0.25, 0.25, 0.25)
dp4 r1.w, r3.xyzw, l(1.0, 1.0, 1.0, 1.0)
// The sun, and the sky above.
dp3 r2.x, v1.xyzx, v1.xyzx
rsq r2.x, r2.x
mul r2.xyz, r2.xxxx, v1.xyzx
dp3_sat r2.w, r2.xyzx, cb0[0].xyzx
mul r2.w, r2.w, r1.w
mad r1.x, r2.y, l(0.12), l(0.30)
mul r1.xyz, r1.xxxx, l(0.80, 0.95, 1.25, 0)
mad r1.xyz, r2.wwww, l(1.05, 0.92, 0.68, 0), r1.xyzx
mul o0.xyz, r0.xyzx, r1.xyzx
mov o0.w, l(1.0)
ret
