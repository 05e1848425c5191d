import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { SentMessage } from "../services/messages.ts";
import { toFilePath } from "./project-path.ts";
import { defineTool, failure, type ToolResult } from "./tool.ts";

const MAX_TEXT_CHARS = 10_000;

/** `platform:<type>:<id>`: a channel and its target in one text. */
const COMBINED = /^platform:(?<channel>[^:]+):(?<target>.+)$/su;

export const sendMessage = defineTool({
  name: "send_message",
  description:
    "Send a message now, while you work: to this chat, or to a person on a messaging platform that is connected. What you " +
    "say at the end belongs in your answer instead. The result says whether the message was sent, failed or waits.",
  parameters: z.object({
    channel: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .default("chat")
      .describe(
        "chat: shows it in this chat. reply: the platform's chat that the task came from. webhook: the program that " +
          "started the task. Or a platform: slack, telegram, discord, whatsapp, signal or cli",
      ),
    target: z
      .string()
      .max(200)
      .optional()
      .describe(
        "On a platform: its id of a person, for a private message, or of a channel or chat; the person's own chat when absent",
      ),
    text: z.string().trim().min(1).max(MAX_TEXT_CHARS).describe("The message, as Markdown"),
    files: z
      .array(z.string().min(1).max(500))
      .max(5)
      .default([])
      .describe(
        "On a platform: paths of files in the project that go after the text, of at most 25 MiB each",
      ),
    sender: z
      .string()
      .trim()
      .min(1)
      .max(80)
      .optional()
      .describe("Name to send it under, where the channel shows one; the project's by default"),
  }),
  effect: "other",
  scope: "channel.manage",
  dangerous: true,
  argumentAliases: { message: "text" },
  async run(args, { messages, project, callId }) {
    const { channel, target } = addressOf(args);
    const fields = fieldsOf(args);
    if (channel === "chat") {
      if (target !== undefined || args.files.length > 0) {
        return failure("A target and files need their platform as the channel.", undefined, fields);
      }
      return { success: true, message: "Shown in this chat.", channel, notification: args.text };
    }
    try {
      const sender = args.sender ?? project.name;
      const files = [...new Set(args.files.map(toFilePath))];
      const hidden = files.filter((path) => path.split("/").some((name) => name.startsWith(".")));
      if (hidden.length > 0) {
        const error = `Hidden files are not sent, because they hold settings and secrets: ${hidden.join(", ")}.`;
        return failure(error, "Send the text without them.", fields);
      }
      const sent = await messages.send({ channel, target, text: args.text, files, sender, callId });
      return resultOf(sent, args);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const advice = ADVICE[error.code];
      if (advice === undefined) throw error;
      return failure(`${error.message}.`, advice, fields);
    }
  },
  async resume(args, { messages, callId }) {
    const sent = await messages.resume(callId);
    return sent && resultOf(sent, args);
  },
});

const ADVICE: Partial<Record<AppError["code"], string>> = {
  not_found: "Say what you have to say in your answer.",
  invalid_input: "Correct the call, or send the text alone.",
  forbidden: "Leave the target out to write to the person you work for, or say it in your answer.",
};

/** Where a message goes, as the model wrote it. */
interface Addressed {
  channel: string;
  target?: string | undefined;
}

function addressOf({ channel, target }: Addressed) {
  const { channel: name = channel, target: place = target } = COMBINED.exec(channel)?.groups ?? {};
  return { channel: name.toLowerCase(), target: place === "" ? undefined : place };
}

/** What each result of the tool says. */
function fieldsOf(args: Addressed) {
  const { channel, target } = addressOf(args);
  return { channel, ...(target === undefined ? {} : { target }) };
}

function resultOf(sent: SentMessage, args: Addressed & { files: readonly string[] }): ToolResult {
  const { channel, target } = addressOf(args);
  return { ...describe(sent, { channel, target, files: args.files }), ...fieldsOf(args) };
}

function describe(
  sent: SentMessage,
  { channel, target, files }: { channel: string; target: string | undefined; files: readonly string[] },
): ToolResult {
  if (sent.status === "failed") {
    const error = `The message was not sent. ${sent.to}: ${sent.reason}`;
    return failure(error, "Say it in your answer, and why it could not be sent.", { notification: "failed" });
  }
  if (sent.status === "queued") {
    const reason = sent.reason === null ? "" : ` ${sent.to}: ${sent.reason}`;
    return {
      success: true,
      message: `Not sent yet: it waits and is sent as soon as possible. Do not send it again.${reason}`,
      notification: "queued",
      details: { via: "channel", chat_id: sent.chatId },
    };
  }
  if (sent.via !== "channel") {
    const { via } = sent;
    return { success: true, message: PLACES[via](target), notification: "sent", details: { via } };
  }
  return {
    success: true,
    message: `Sent over ${channel === "reply" ? sent.to : channel}.${files.length > 0 ? FILES_FOLLOW : ""}`,
    notification: "sent",
    details: { via: "channel", chat_id: sent.chatId, platform_message_id: sent.platformMessageId },
  };
}

const FILES_FOLLOW = " The files follow; one that cannot be sent is named there instead.";

const PLACES = {
  callback: () => "Sent to the program that started the task.",
  webhook: (target: string | undefined) => {
    const place = "Sent to the one place that the service's discord webhook posts to.";
    return target === undefined ? place : `${place} The target was not used.`;
  },
};
