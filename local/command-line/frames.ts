import { z } from "zod";

/** A choice of an approval. */
const Choice = z.object({ label: z.string(), data: z.string() });
export type Choice = z.output<typeof Choice>;

const common = {
  /** Of stored frames: the client resumes after the last one. */
  id: z.number().optional(),
  /** The client's own id of the message that is answered. */
  reply_to: z.string().optional(),
};

/** Frames that the service sends and the client knows. */
export const ServiceFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("status"), last_id: z.number() }),
  z.object({ type: z.literal("accepted"), client_id: z.string().optional() }),
  z.object({ type: z.literal("message"), text: z.string(), ...common }),
  z.object({ type: z.literal("approval"), text: z.string(), choices: z.array(Choice), ...common }),
  z.object({ type: z.literal("tool"), text: z.string() }),
  z.object({ type: z.literal("typing") }),
  z.object({ type: z.literal("pong") }),
  z.object({
    type: z.literal("error"),
    message: z.string(),
    code: z.string().optional(),
    retry_after_seconds: z.number().optional(),
    client_id: z.string().optional(),
  }),
]);
export type ServiceFrame = z.output<typeof ServiceFrame>;
