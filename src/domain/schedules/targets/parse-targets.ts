import { chatIdForm, isChatId } from "#src/channels/chat-id.ts";
import { isPlatform, PLATFORMS, type Platform } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";

/** Where a run's result goes. */
export type Target =
  /** The chat that the schedule was made in. */
  | { kind: "origin" }
  /** The person's home or private chat on a platform. */
  | { kind: "home"; platform: Platform }
  | { kind: "chat"; platform: Platform; chatId: string };

const MAX_TARGETS = 10;
const MAX_ID_CHARS = 200;

/** The text of a target, as it is written in `deliver`. */
export function targetName(target: Target): string {
  if (target.kind === "origin") return "origin";
  return target.kind === "home" ? target.platform : `${target.platform}:${target.chatId}`;
}

/**
 * Reads `deliver`: `origin`, `none`, a platform, `<platform>:<chat id>`, or several of them between commas. None for `none`.
 * Throws `invalid_input` for a text that is none of these.
 */
export function parseTargets(deliver: string): Target[] {
  const names = [...new Set(deliver.split(",").map((each) => each.trim()))];
  if (names.length === 1 && names[0]?.toLowerCase() === "none") return [];
  if (names.length > MAX_TARGETS) {
    throw new AppError("invalid_input", `deliver: at most ${MAX_TARGETS} targets`);
  }
  const targets = names.map(parseTarget);
  const byName = new Map(targets.map((target) => [targetName(target), target]));
  return [...byName.values()];
}

/**
 * Checks `deliver` before it is stored. Throws as `parseTargets` does, and `invalid_input` for a chat id that its platform
 * cannot have.
 */
export function requireTargets(deliver: string): void {
  for (const target of parseTargets(deliver)) {
    if (target.kind === "chat" && !isChatId(target.platform, target.chatId)) {
      throw new AppError(
        "invalid_input",
        `deliver: "${target.chatId.slice(0, 80)}" is no chat id of ${target.platform}, which is ${chatIdForm(target.platform)}`,
      );
    }
  }
}

function parseTarget(name: string): Target {
  const colon = name.indexOf(":");
  const platform = (colon < 0 ? name : name.slice(0, colon)).toLowerCase();
  if (colon < 0 && platform === "origin") return { kind: "origin" };
  if (!isPlatform(platform)) {
    throw new AppError(
      "invalid_input",
      `deliver: there is no target "${name.slice(0, 80)}". Use origin, none, a platform (${PLATFORMS.join(", ")}) or <platform>:<chat id>`,
    );
  }
  if (colon < 0) return { kind: "home", platform };
  const chatId = name.slice(colon + 1).trim();
  if (chatId === "" || chatId.length > MAX_ID_CHARS) {
    throw new AppError("invalid_input", `deliver: a chat id follows "${platform}:"`);
  }
  return { kind: "chat", platform, chatId };
}
