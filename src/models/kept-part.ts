import { z } from "zod";

/**
 * A part of an answer that the provider requires back unchanged, such as signed thinking. It is opaque to others. It
 * may contain anything that the model has seen, so it is not shown and is stored encrypted.
 */
export const KeptPart = z.object({
  /** The provider that made it and gets it back. */
  provider: z.string(),
  model: z.string(),
  /** Fingerprint of the answered request; null where the provider accepts the part after a changed conversation. */
  prefix: z.string().nullable(),
  /** Written and read only by the provider's own folder. */
  content: z.unknown(),
});
export type KeptPart = z.infer<typeof KeptPart>;
