/** The frames of the messaging gateway's command line, in both directions. */
import { z } from "zod";
import { PingFrame, PongFrame } from "./sockets.ts";

const clientId = z
  .string()
  .max(200)
  .optional()
  .describe("The client's own id of the frame, the same when it sends it again");

/** What a command-line client may send, besides plain text. */
export const CommandLineClientFrame = z
  .union([
    z
      .object({ type: z.literal("message").optional(), text: z.string(), client_id: clientId })
      .meta({ id: "CommandLineMessage" }),
    z
      .object({
        type: z.literal("approval"),
        data: z.string().min(1).max(64).describe("`data` of the choice"),
        message_id: z.string().optional().describe("`id` of the frame that asked"),
        client_id: clientId,
      })
      .meta({ id: "CommandLineChoice" }),
    PingFrame,
  ])
  .meta({ id: "CommandLineClientFrame" });

const stored = {
  id: z.number().optional().describe("Number of the frame, greater than every earlier one"),
  text: z.string(),
  reply_to: z.string().optional(),
  project_id: z.string().optional(),
};

/** What the command line sends. */
export const CommandLineServerFrame = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("status"), status: z.literal("connected"), last_id: z.number() }).meta({
      id: "CommandLineStatus",
      description: "The first frame; a client without a frame resumes here",
    }),
    PongFrame,
    z.object({ type: z.literal("accepted"), client_id: clientId }).meta({ id: "CommandLineAccepted" }),
    z
      .object({
        type: z.literal("error"),
        message: z.string(),
        code: z.string().optional(),
        retry_after_seconds: z.number().optional(),
        client_id: clientId,
      })
      .meta({ id: "CommandLineError" }),
    z
      .object({
        type: z.literal("message"),
        ...stored,
        file: z
          .object({ name: z.string(), mime_type: z.string(), base64: z.string() })
          .optional()
          .describe("A file that the agent sends"),
      })
      .meta({ id: "CommandLineText" }),
    z
      .object({
        type: z.literal("approval"),
        ...stored,
        choices: z.array(z.object({ label: z.string(), data: z.string() })),
      })
      .meta({ id: "CommandLineApproval", description: "A dangerous call waits for a person" }),
    z
      .object({ type: z.literal("typing"), project_id: z.string().optional() })
      .meta({ id: "CommandLineTyping", description: "Not stored" }),
    z
      .object({ type: z.literal("tool"), text: z.string(), project_id: z.string().optional() })
      .meta({ id: "CommandLineTool", description: "What the agent does at this moment. Not stored" }),
  ])
  .meta({ id: "CommandLineServerFrame" });
export type CommandLineServerFrame = z.output<typeof CommandLineServerFrame>;
