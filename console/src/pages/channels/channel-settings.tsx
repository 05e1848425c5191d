import type { api } from "@agent-workspace/client";
import { useRef, useState } from "preact/hooks";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { CredentialFields, credentialsOf } from "./credential-fields.tsx";
import { GUIDES } from "./platforms.ts";
import { names } from "./reads.ts";
import { SettingsFields, settingsOf } from "./settings-fields.tsx";

/** The form that changes a channel. Secrets can be replaced, and are never shown. */
export function ChannelSettings({ channel }: { channel: api.ChannelConfig }) {
  const { id, channel_type: platform } = channel;
  const { fields } = GUIDES[platform];
  const details = useRef<HTMLDetailsElement>(null);
  const [project, setProject] = useState(channel.project_id ?? "");
  const changing = useAction(async (form: HTMLFormElement) => {
    const typed = new FormData(form);
    const credentials = credentialsOf(typed, fields);
    await workspace.channels.update(id, {
      ...settingsOf(typed),
      // The present project is not named: who may no longer manage it may still change the rest.
      ...(project !== (channel.project_id ?? "") && { project_id: project }),
      ...(Object.keys(credentials).length > 0 && { credentials }),
    });
    stale(names.channels);
    // What was typed is gone from the page, secrets above all.
    form.reset();
    if (details.current) details.current.open = false;
  });
  return (
    <details ref={details}>
      <summary>Settings</summary>
      <form
        class="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          changing.run(event.currentTarget);
        }}
      >
        <SettingsFields key={channel.updated_at} platform={platform} of={channel} />
        <ProjectChoice
          id="project"
          label="Project"
          value={project}
          none="No project: only you can write to it"
          onChoose={setProject}
        />
        <CredentialFields fields={fields} isChange />
        <button type="submit" class="primary" disabled={changing.isBusy}>
          Save
        </button>
        {changing.error !== undefined && <Refused error={changing.error} />}
      </form>
    </details>
  );
}
