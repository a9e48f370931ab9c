// Blurs the columns of t1, 160 by 90 texels of four floats, into u0.
cs_5_0
dcl_resource_raw t1
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 4
dcl_thread_group 10, 10, 1
mov r0.xyzw, l(0, 0, 0, 0)
mov r1.x, l(-6)
loop
  ilt r1.y, l(6), r1.x
  breakc_nz r1.y
  iadd r2.y, vThreadID.y, r1.x
  imax r2.y, r2.y, l(0)
  imin r2.y, r2.y, l(89)
  imad r2.x, r2.y, l(160), vThreadID.x
  ishl r2.x, r2.x, l(4)
  ld_raw r3.xyzw, r2.x, t1.xyzw
  itof r1.z, r1.x
  mul r1.z, r1.z, r1.z
  mul r1.z, r1.z, l(-0.0866)
  exp r1.z, r1.z
  mad r0.xyzw, r3.xyzw, r1.zzzz, r0.xyzw
  iadd r1.x, r1.x, l(1)
endloop
mul r0.xyzw, r0.xyzw, l(0.139, 0.139, 0.139, 0.139)
imad r1.x, vThreadID.y, l(160), vThreadID.x
ishl r1.x, r1.x, l(4)
store_raw u0.xyzw, r1.x, r0.xyzw
ret
