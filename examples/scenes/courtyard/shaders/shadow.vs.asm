// Objects as the light sees them. The light's rays are parallel, so that no division is left to do.
vs_5_0
.input
.param "POSITION"[0].xyz, v0.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.param "OFFSET"[0].xyz, v3.xyz, float
.output
.param "SV_Position"[0].xyzw, o0.xyzw, float, position
.param "TEXCOORD"[0].xy, o1.xy, float
.text
dcl_constantbuffer cb0[8], immediateIndexed
dcl_constantbuffer cb1[3], immediateIndexed
dcl_input v0.xyz
dcl_input v2.xy
dcl_input v3.xyz
dcl_output_siv o0.xyzw, position
dcl_output o1.xy
dcl_temps 2
mov r0.xyz, v0.xyzx
mov r0.w, l(1.0)
dp4 r1.x, r0.xyzw, cb1[0].xyzw
dp4 r1.y, r0.xyzw, cb1[1].xyzw
dp4 r1.z, r0.xyzw, cb1[2].xyzw
add r1.xyz, r1.xyzx, v3.xyzx
mov r1.w, l(1.0)
dp4 o0.x, r1.xyzw, cb0[4].xyzw
dp4 o0.y, r1.xyzw, cb0[5].xyzw
dp4 o0.z, r1.xyzw, cb0[6].xyzw
mov o0.w, l(1.0)
mov o1.xy, v2.xyxx
ret
