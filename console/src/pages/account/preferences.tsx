import { ActionForm } from "../../parts/action-form.tsx";
import { Choice, NamedOptions, TextField } from "../../parts/fields.tsx";
import { Folded } from "../../parts/folded.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { keys, stale, useModels } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, usePreferences } from "./reads.ts";

/** Preferences that other apps of the person read; the theme of this console is chosen in the account menu. */
export function Preferences() {
  return (
    <Folded summary="Preferences for other apps">
      <Form />
    </Folded>
  );
}

function Form() {
  const { data: listed } = useModels();
  return (
    <>
      <p class="muted">
        Other apps that use this account read these. The theme of this console is in the account menu.
      </p>
      <Loaded of={usePreferences()}>
        {({ theme_preset, chat_position, diagram_model }) => (
          <ActionForm submit="Save preferences" done="Saved" isKept work={save}>
            <TextField label="Theme" name="theme_preset" maxLength={64} defaultValue={theme_preset} />
            <Choice label="Chat position" name="chat_position">
              {["left", "center", "right"].map((each) => (
                <option key={each} selected={each === chat_position}>
                  {each}
                </option>
              ))}
            </Choice>
            <Choice label="Model for diagrams" name="diagram_model">
              <option value="">Default model</option>
              {diagram_model !== null && !listed?.models.some(({ id }) => id === diagram_model) && (
                <option selected>{diagram_model}</option>
              )}
              <NamedOptions of={listed?.models} chosen={diagram_model} />
            </Choice>
          </ActionForm>
        )}
      </Loaded>
    </>
  );
}

async function save(form: FormData): Promise<void> {
  const body = {
    theme_preset: textOf(form, "theme_preset") || null,
    chat_position: textOf(form, "chat_position"),
    diagram_model: textOf(form, "diagram_model") || null,
  };
  await workspace.request("PATCH", "/api/users/preferences", { body });
  stale(accountKeys.preferences, keys.me);
}
