import { z } from "zod";

/** Only the fields that are read. */
export const Deployment = z.object({
  id: z.string(),
  phase: z.string().default("UNKNOWN"),
  progress: z
    .object({
      steps: z.array(z.object({ reason: z.object({ message: z.string().nullish() }).nullish() })).nullish(),
    })
    .nullish()
    .catch(null),
});

export const App = z.object({
  id: z.string(),
  spec: z.object({ name: z.string() }),
  live_url: z.string().nullish(),
  default_ingress: z.string().nullish(),
});
