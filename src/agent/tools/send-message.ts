import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { defineTool, failure } from "./tool.ts";

const MAX_TEXT_CHARS = 10_000;

/** `platform:<type>:<id>`: a channel and its target in one text. */
const COMBINED = /^platform:(?<channel>[^:]+):(?<target>.+)$/su;

/** Names of channels that mean the agent's current conversation. */
const HERE: ReadonlySet<string> = new Set(["chat", "reply", "webhook"]);

export const sendMessage = defineTool({
  name: "send_message",
  description:
    "Send a message to a person on a messaging platform that is connected. For the person you work for, in this chat, " +
    "write your answer instead.",
  parameters: z.object({
    channel: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .describe("Platform: slack, telegram, discord, whatsapp, signal or cli"),
    target: z
      .string()
      .max(200)
      .optional()
      .describe("Whom it is for: the platform's id of a person, or of a channel or chat"),
    text: z.string().trim().min(1).max(MAX_TEXT_CHARS).describe("The message, as Markdown"),
    sender: z
      .string()
      .trim()
      .min(1)
      .max(80)
      .optional()
      .describe("Name to send it under; the project's by default"),
  }),
  effect: "other",
  scope: "channel.manage",
  dangerous: true,
  argumentAliases: { message: "text" },
  async run(args, { messages, project }) {
    const { channel, target } = addressOf(args);
    const fields = { channel, ...(target === undefined ? {} : { target }) };
    if (HERE.has(channel)) {
      return failure(`"${channel}" is this conversation, not a messaging platform.`, IN_THE_ANSWER, fields);
    }
    try {
      const { via } = await messages.send({
        channel,
        target,
        text: args.text,
        sender: args.sender ?? project.name,
      });
      return {
        success: true,
        message: sentence(channel, target, via),
        ...fields,
        notification: "sent",
        details: { via },
      };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
      return failure(`${error.message}.`, IN_THE_ANSWER, fields);
    }
  },
});

const IN_THE_ANSWER = "Say what you have to say in your answer.";

function addressOf({ channel, target }: { channel: string; target?: string | undefined }) {
  const { channel: name = channel, target: place = target } = COMBINED.exec(channel)?.groups ?? {};
  return { channel: name.toLowerCase(), target: place === "" ? undefined : place };
}

function sentence(channel: string, target: string | undefined, via: "channel" | "webhook"): string {
  if (via === "channel") return `Sent over ${channel}.`;
  const place = `Sent to the one place that the service's ${channel} webhook posts to.`;
  return target === undefined ? place : `${place} The target was not used.`;
}
