import type { api } from "@agent-workspace/client";
import { textOf } from "../../parts/form-text.ts";
import { GROUP_NAMES, GUIDES, MODE_NAMES } from "./platforms.ts";
import type { Platform } from "./reads.ts";

type GroupMode = api.ChannelConfig["group_mode"];
type Mode = api.ChannelConfig["inbound_mode"];

const isGroupMode = (text: string): text is GroupMode => text in GROUP_NAMES;
const isMode = (text: string): text is Mode => text in MODE_NAMES;

/** Settings that every channel has. */
export function SettingsFields({ platform, of }: { platform: Platform; of?: api.ChannelConfig }) {
  const { modes } = GUIDES[platform];
  return (
    <>
      <div class="field">
        <label for="name">Channel name</label>
        <input
          id="name"
          name="name"
          required
          maxLength={100}
          autocomplete="off"
          defaultValue={of?.name ?? ""}
        />
      </div>
      {modes.length > 1 && (
        <div class="field">
          <label for="mode">How messages arrive</label>
          <select id="mode" name="inbound_mode">
            {of === undefined && <option value="">Automatic</option>}
            {modes.map((mode) => (
              <option key={mode} value={mode} selected={mode === of?.inbound_mode}>
                {MODE_NAMES[mode]}
              </option>
            ))}
          </select>
        </div>
      )}
      {platform !== "cli" && platform !== "whatsapp" && (
        <div class="field">
          <label for="group-mode">Group messages that it answers</label>
          <select id="group-mode" name="group_mode">
            {Object.entries(GROUP_NAMES).map(([mode, label]) => (
              <option key={mode} value={mode} selected={mode === of?.group_mode}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      <Choice
        name="reactions"
        isChosen={of?.reactions ?? true}
        label="React with 👀 when the bot starts on a message"
      />
      {platform !== "cli" && (
        <Choice
          name="shares_links"
          isChosen={of?.shares_links ?? false}
          label="Share linked accounts with my other channels on this platform"
        />
      )}
    </>
  );
}

function Choice({ name, isChosen, label }: { name: string; isChosen: boolean; label: string }) {
  const id = name.replaceAll("_", "-");
  return (
    <label class="check" for={id}>
      <input id={id} name={name} type="checkbox" value="yes" defaultChecked={isChosen} />
      {label}
    </label>
  );
}

/** The settings that were chosen. */
export function settingsOf(form: FormData) {
  const mode = textOf(form, "inbound_mode");
  const groupMode = textOf(form, "group_mode");
  return {
    name: textOf(form, "name"),
    reactions: textOf(form, "reactions") === "yes",
    shares_links: textOf(form, "shares_links") === "yes",
    ...(isMode(mode) && { inbound_mode: mode }),
    ...(isGroupMode(groupMode) && { group_mode: groupMode }),
  };
}
