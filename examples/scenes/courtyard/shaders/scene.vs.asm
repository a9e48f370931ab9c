// Objects of the scene, as the camera and the light see them.
//
// cb0: rows of the camera's matrix (0 to 3) and of the light's (4 to 7).
// cb1: rows of the object's matrix (0 to 2).
vs_5_0
.input
.param "POSITION"[0].xyz, v0.xyz, float
.param "NORMAL"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.param "OFFSET"[0].xyz, v3.xyz, float
.output
.param "SV_Position"[0].xyzw, o0.xyzw, float, position
.param "NORMAL"[0].xyz, o1.xyz, float
.param "TEXCOORD"[0].xy, o2.xy, float
.param "TEXCOORD"[1].xyz, o3.xyz, float
.text
dcl_constantbuffer cb0[8], immediateIndexed
dcl_constantbuffer cb1[3], immediateIndexed
dcl_input v0.xyz
dcl_input v1.xyz
dcl_input v2.xy
dcl_input v3.xyz
dcl_output_siv o0.xyzw, position
dcl_output o1.xyz
dcl_output o2.xy
dcl_output o3.xyz
dcl_temps 2
mov r0.xyz, v0.xyzx
mov r0.w, l(1.0)
dp4 r1.x, r0.xyzw, cb1[0].xyzw
dp4 r1.y, r0.xyzw, cb1[1].xyzw
dp4 r1.z, r0.xyzw, cb1[2].xyzw
add r1.xyz, r1.xyzx, v3.xyzx
mov r1.w, l(1.0)
dp4 o0.x, r1.xyzw, cb0[0].xyzw
dp4 o0.y, r1.xyzw, cb0[1].xyzw
dp4 o0.z, r1.xyzw, cb0[2].xyzw
dp4 o0.w, r1.xyzw, cb0[3].xyzw
dp3 o1.x, v1.xyzx, cb1[0].xyzx
dp3 o1.y, v1.xyzx, cb1[1].xyzx
dp3 o1.z, v1.xyzx, cb1[2].xyzx
mov o2.xy, v2.xyxx
dp4 o3.x, r1.xyzw, cb0[4].xyzw
dp4 o3.y, r1.xyzw, cb0[5].xyzw
dp4 o3.z, r1.xyzw, cb0[6].xyzw
ret
