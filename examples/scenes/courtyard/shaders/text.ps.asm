// Letters in the colour of their vertices.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "COLOR"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.output
.param "SV_Target"[0].xyzw, o0.xyzw, float, target
.text
dcl_sampler s1, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_input_ps linear v1.xyz
dcl_input_ps linear v2.xy
dcl_output o0.xyzw
dcl_temps 1
sample r0.xyzw, v2.xyxx, t0.xyzw, s1
mov o0.xyz, v1.xyzx
mov o0.w, r0.w
ret
