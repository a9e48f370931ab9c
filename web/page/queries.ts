// Occlusion queries of WebGPU, which the library asks for and does not hand on: a pass that has the label of a set of queries
// gets that set. By them it is told what draws do to one pixel.

interface LabelledObject {
  label?: string;
}

interface QuerySetDescriptor extends LabelledObject {
  type: string;
}

interface PassDescriptor extends LabelledObject {
  occlusionQuerySet?: unknown;
}

interface Class<Method extends string, Descriptor> {
  prototype: Record<Method, (this: unknown, descriptor: Descriptor) => unknown>;
}

/** Sets of queries by their labels; a later set takes the place of the one before. */
const sets = new Map<string, unknown>();
const { GPUDevice, GPUCommandEncoder } = self as unknown as {
  GPUDevice?: Class<"createQuerySet", QuerySetDescriptor>;
  GPUCommandEncoder?: Class<"beginRenderPass", PassDescriptor>;
};

if (GPUDevice && GPUCommandEncoder) {
  const { createQuerySet } = GPUDevice.prototype;
  GPUDevice.prototype.createQuerySet = function (descriptor) {
    const set = createQuerySet.call(this, descriptor);
    if (descriptor.type === "occlusion" && descriptor.label) sets.set(descriptor.label, set);
    return set;
  };
  const { beginRenderPass } = GPUCommandEncoder.prototype;
  GPUCommandEncoder.prototype.beginRenderPass = function (descriptor) {
    const set = sets.get(descriptor.label ?? "");
    if (set) descriptor.occlusionQuerySet = set;
    return beginRenderPass.call(this, descriptor);
  };
}

export {};
