import { textOf } from "../../parts/form-text.ts";
import { useIdentities } from "./reads.ts";

/** The targets that a text of `deliver` names. */
export const targetsOf = (deliver: string): string[] =>
  deliver
    .split(",")
    .map((target) => target.trim())
    .filter((target) => target !== "" && target !== "none");

/** A target as a person calls it. */
export const targetName = (target: string): string =>
  target === "origin" ? "the chat it was created in" : target;

/**
 * The choice of where an answer goes: its own chat, home chats of linked accounts, and any other chat. `deliverOf` reads it
 * from the form.
 */
export function DeliverFields({ targets }: { targets: readonly string[] }) {
  const { data: identities = [] } = useIdentities();
  const platforms = [...new Set(identities.map(({ platform }) => platform))].filter((each) => each !== "cli");
  const choices = ["origin", ...platforms];
  const others = targets.filter((target) => !choices.some((choice) => choice === target));
  return (
    <fieldset class="field">
      <legend class="small">Deliver the answer to</legend>
      {choices.map((choice) => (
        <label key={choice} class="check">
          <input type="checkbox" name="target" value={choice} defaultChecked={targets.includes(choice)} />
          {choice === "origin" ? targetName(choice) : `my home chat at ${choice}`}
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
        Each run is a new chat of the project, where its answer always is. With no target it goes nowhere
        else.
      </span>
    </fieldset>
  );
}

/** The text of `deliver` that a form says, as it stands when it is sent: what was typed last counts. */
export function deliverOf(form: FormData): string {
  const chosen = form.getAll("target").filter((target) => typeof target === "string");
  return [...new Set([...chosen, ...targetsOf(textOf(form, "others"))])].join(",") || "none";
}
