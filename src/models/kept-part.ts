import { z } from "zod";

/**
 * What a provider wants back, as it came, with the answer it belongs to: signed thinking, for instance. Nobody else can read it.
 * It may hold whatever the model has seen, so that it is shown to nobody and stored encrypted.
 */
export const KeptPart = z.object({
  /** Who made it, and gets it back. */
  provider: z.string(),
  model: z.string(),
  /** Fingerprint of the request that was answered; null where the provider does not ask what comes before. */
  prefix: z.string().nullable(),
  /** As the provider's own folder wrote it, and reads it. */
  content: z.unknown(),
});
export type KeptPart = z.infer<typeof KeptPart>;
