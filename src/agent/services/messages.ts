import { sendNotice } from "#src/domain/agent-work/callbacks/index.ts";
import {
  countMessage,
  replyForTask,
  resumeForTask,
  sendForTask,
  type Outcome,
  type SendDeps,
  type SendingTask,
} from "#src/domain/messaging/agent-messages/index.ts";
import { isPlatform, PLATFORMS } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import type { RateLimits } from "#src/domain/operations/limits/index.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import { scrubText } from "../scrubbing/scrub.ts";
import { postToDiscord } from "./discord-webhook.ts";

/** A message from the agent to a person outside of the chat. */
export interface AgentMessage {
  /** Name of a platform, e.g. `discord`; `reply` for the chat that the task came from, `webhook` for its receiver. */
  channel: string;
  /** Person or chat on the platform; undefined for the person's own chat there. */
  target: string | undefined;
  text: string;
  /** Paths in the project. */
  files: readonly string[];
  /** Name shown as the sender, where the channel shows one. */
  sender: string;
  /** Identifies the call among those of the task: a repetition sends nothing to a platform. */
  callId: string;
}

/** What became of a message. */
export type SentMessage =
  | { status: "sent"; via: "channel"; to: string; chatId: string; platformMessageId: string | null }
  /** `webhook` is the service's own of Discord, which posts everything to one place; `callback` the task's receiver. */
  | { status: "sent"; via: "webhook" | "callback" }
  | { status: "queued"; to: string; chatId: string; reason: string | null }
  | { status: "failed"; to: string; reason: string };

/** Sends the agent's messages. */
export interface AgentMessages {
  /**
   * Resolves when the outcome is known, or after a short while. Throws `not_found` where nothing of that name is connected,
   * `forbidden` for a target that the person's channels may not write to, `too_large` for a text above the channel's limit,
   * `invalid_input` for files that cannot be sent, `rate_limited` and `unavailable` where trying again may help, and `conflict` where a webhook refuses the message.
   */
  send(message: AgentMessage): Promise<SentMessage>;
  /**
   * Goes on with the message to a platform that a call has stored and whose executor has died. Resolves as `send` does;
   * with undefined if the call has stored none.
   */
  resume(callId: string): Promise<SentMessage | undefined>;
}

/** The ways out of the service for a task's messages. */
export interface AgentOutlets {
  safeFetch: SafeFetch;
  /** The service's own webhook of Discord. */
  discordWebhookUrl: string | undefined;
  /** Throws `rate_limited`. */
  count(): Promise<void>;
  /** Removes secrets. */
  scrub(text: string): Promise<string>;
  toPlatform(message: Parameters<typeof sendForTask>[2]): Promise<Outcome>;
  toOrigin(message: Parameters<typeof replyForTask>[2]): Promise<Outcome>;
  toReceiver(message: { text: string; callId: string }): ReturnType<typeof sendNotice>;
  resume(callId: string): Promise<Outcome | undefined>;
}

export interface AgentMessageDeps extends SendDeps, Omit<Parameters<typeof sendNotice>[0], "db"> {
  safeFetch: SafeFetch;
  rateLimits: RateLimits;
  config: { AGENT_DISCORD_WEBHOOK_URL?: string | undefined };
}

/** The ways out for the messages of one task. */
export function agentOutlets(
  deps: AgentMessageDeps,
  task: SendingTask,
  secrets: Pick<RunSecrets, "known">,
): AgentOutlets {
  return {
    safeFetch: deps.safeFetch,
    discordWebhookUrl: deps.config.AGENT_DISCORD_WEBHOOK_URL,
    count: () => countMessage(deps, task),
    scrub: async (text) => scrubText(text, await secrets.known()),
    toPlatform: (message) => sendForTask(deps, task, message),
    toOrigin: (message) => replyForTask(deps, task, message),
    toReceiver: (message) => sendNotice(deps, { ...message, taskId: task.id }),
    resume: (callId) => resumeForTask(deps, task, callId),
  };
}

/** Sends messages to the platforms that the task's user has connected, and to the webhooks of the task and the service. */
export function agentMessages(outlets: AgentOutlets): AgentMessages {
  return {
    async send(message) {
      const { channel, target, files, callId } = message;
      if (channel !== "reply" && channel !== "webhook" && !isPlatform(channel)) {
        const names = ["chat", "reply", "webhook", ...PLATFORMS].join(", ");
        throw new AppError(
          "not_found",
          `There is no channel "${channel.slice(0, 80)}": the channels are ${names}`,
        );
      }
      await outlets.count();
      const text = await outlets.scrub(message.text);
      if (channel === "webhook") return toReceiver(outlets, { text, files, callId });
      if (channel === "reply") return toSent(await outlets.toOrigin({ text, files, callId }));
      try {
        return toSent(await outlets.toPlatform({ platform: channel, target, text, files, callId }));
      } catch (error) {
        const url = channel === "discord" ? outlets.discordWebhookUrl : undefined;
        if (url === undefined || !(error instanceof AppError && error.code === "not_found")) throw error;
        refuseFiles(files);
        await postToDiscord(outlets.safeFetch, url, { text, sender: message.sender });
        return { status: "sent", via: "webhook" };
      }
    },
    async resume(callId) {
      const outcome = await outlets.resume(callId);
      return outcome && toSent(outcome);
    },
  };
}

async function toReceiver(
  outlets: AgentOutlets,
  { files, ...message }: Pick<AgentMessage, "text" | "files" | "callId">,
): Promise<SentMessage> {
  refuseFiles(files);
  const outcome = await outlets.toReceiver(message);
  if (!outcome) throw new AppError("not_found", "This task has no webhook");
  if (outcome.delivered) return { status: "sent", via: "callback" };
  return { status: "failed", to: "The task's webhook", reason: outcome.error ?? "It was not taken" };
}

function refuseFiles(files: readonly string[]): void {
  if (files.length > 0) throw new AppError("invalid_input", "A webhook takes no files: send the text alone");
}

function toSent(outcome: Outcome): SentMessage {
  const { label: to } = outcome;
  if (outcome.status === "failed") return { status: "failed", to, reason: outcome.reason };
  const { chatId } = outcome;
  if (outcome.status === "queued") return { status: "queued", to, chatId, reason: outcome.reason };
  return { status: "sent", via: "channel", to, chatId, platformMessageId: outcome.platformMessageId };
}
