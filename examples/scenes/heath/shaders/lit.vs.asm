// A lit vertex of an object, as Direct3D 9's fixed functions would light it.
//
// c0 to c3: rows of the camera's matrix. c4: direction to the sun. c5: the sun's light. c6: light from everywhere.
// c7: fog, a factor and a summand for the distance. c8: the object's place, and its size in w.
vs_2_0
def c9, 0.0, 1.0, 0.0, 0.0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
mad r0.xyz, v0, c8.w, c8
mov r0.w, c9.y
dp4 oPos.x, r0, c0
dp4 oPos.y, r0, c1
dp4 oPos.z, r0, c2
dp4 r1.w, r0, c3
mov oPos.w, r1.w
dp3 r1.x, v1, c4
max r1.x, r1.x, c9.x
mov r2, c6
mad oD0, r1.x, c5, r2
mov oT0, v2
mad oFog, r1.w, c7.x, c7.y
