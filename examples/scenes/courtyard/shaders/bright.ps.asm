// The parts of the picture that shine.
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
dcl_input_ps linear v2.xy
dcl_output o0.xyzw
dcl_temps 1
sample r0.xyzw, v2.xyxx, t0.xyzw, s0
add_sat r0.xyz, r0.xyzx, l(-0.72, -0.72, -0.72, 0)
mul o0.xyz, r0.xyzx, l(3.5, 3.5, 3.5, 0)
mov o0.w, l(1.0)
ret
