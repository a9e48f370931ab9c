// A firefly, which circles where its vertex is. c10: how far along its circle it is.
vs_2_0
def c9, 0.0, 1.0, 0.0, 0.0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
mov r0, v0
mad r0.xyz, v1.x, c10, r0
mov r0.w, c9.y
dp4 oPos.x, r0, c0
dp4 oPos.y, r0, c1
dp4 oPos.z, r0, c2
dp4 r1.w, r0, c3
mov oPos.w, r1.w
rcp r1.x, r1.w
mul oPts, r1.x, c10.w
mov oD0, c9.y
mov oFog, c9.y
