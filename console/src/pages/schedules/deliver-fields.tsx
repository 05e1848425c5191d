import type { api } from "@agent-workspace/client";
import { platformName } from "../../parts/platform-name.ts";
import { textOf } from "../../parts/form-text.ts";
import { useIdentities } from "./reads.ts";

/** The targets that a text of `deliver` names. */
export const targetsOf = (deliver: string): string[] =>
  deliver
    .split(",")
    .map((target) => target.trim())
    .filter((target) => target !== "" && target !== "none");

/** A target as a person calls it. A schedule that was made in the console has no chat of its own: there its origin is the run's. */
export function targetName(
  target: string,
  { origin_platform }: Pick<api.Schedule, "origin_platform">,
): string {
  if (target !== "origin") return platformName(target);
  return origin_platform === null ? "the run’s chat" : "the chat where this schedule was made";
}

/**
 * The choice of where an answer goes: its own chat, home chats of linked accounts, and any other chat. `deliverOf` reads it
 * from the form.
 */
export function DeliverFields({ targets, hasOrigin }: { targets: readonly string[]; hasOrigin: boolean }) {
  const { data: identities = [] } = useIdentities();
  const platforms = [...new Set(identities.map(({ platform }) => platform))].filter((each) => each !== "cli");
  const choices = [...(hasOrigin ? ["origin"] : []), ...platforms];
  const others = targets.filter(
    (target) => target !== "origin" && !platforms.some((each) => each === target),
  );
  return (
    <fieldset class="field">
      <legend class="small">Send the answer to</legend>
      {!hasOrigin && targets.includes("origin") && <input type="hidden" name="target" value="origin" />}
      {choices.map((choice) => (
        <label key={choice} class="check">
          <input type="checkbox" name="target" value={choice} defaultChecked={targets.includes(choice)} />
          {choice === "origin"
            ? "the chat where this schedule was made"
            : `my home chat on ${platformName(choice)}`}
        </label>
      ))}
      <label for="others">Other chats</label>
      <input
        id="others"
        name="others"
        autocomplete="off"
        placeholder="slack:C0123456789"
        defaultValue={others.join(", ")}
      />
      <span class="muted small">
        Each run opens a new chat in the project, with the answer. Choose where else to send it. A home chat
        is the one where you sent the bot /sethome, or else your private chat with it.
      </span>
    </fieldset>
  );
}

/** The text of `deliver` that a form says, as it stands when it is sent: what was typed last counts. */
export function deliverOf(form: FormData): string {
  const chosen = form.getAll("target").filter((target) => typeof target === "string");
  return [...new Set([...chosen, ...targetsOf(textOf(form, "others"))])].join(",") || "none";
}
