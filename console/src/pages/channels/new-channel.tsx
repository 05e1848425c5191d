import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { stale } from "../../service/reads.ts";
import { useMayEdit } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { CredentialFields, credentialsOf } from "./credential-fields.tsx";
import { GUIDES } from "./platforms.ts";
import { names, usePlatforms, type Platform } from "./reads.ts";
import { SettingsFields, settingsOf } from "./settings-fields.tsx";

/** The choice of a platform: those that the service serves. */
export function ChoosePlatform() {
  return (
    <>
      <Heading>New channel</Heading>
      <p class="muted">Choose where people talk to the agent.</p>
      <Loaded of={usePlatforms()}>
        {(found) => (
          <ul class="cards">
            {found.map(({ platform, display_name, setup_notes }) => (
              <li key={platform}>
                <h2>
                  <Link href={`/channels/new/${platform}`}>{display_name}</Link>
                </h2>
                <p class="small">{setup_notes}</p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

/** What to do at one platform, and the form for what it gives. */
export function NewChannel({ platform }: { platform: string }) {
  return (
    <Loaded of={usePlatforms()}>
      {(found) => {
        const offered = found.find((each) => each.platform === platform);
        return offered ? (
          <Guided platform={offered.platform} label={offered.display_name} />
        ) : (
          <Heading>Unknown platform</Heading>
        );
      }}
    </Loaded>
  );
}

function Guided({ platform, label }: { platform: Platform; label: string }) {
  const { steps } = GUIDES[platform];
  return (
    <>
      <Heading>Connect {label}</Heading>
      <h2>On {label}</h2>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {platform === "cli" ? (
        <p>
          <Link class="button" href="/keys">
            Open API keys
          </Link>
        </p>
      ) : (
        <NewChannelForm platform={platform} />
      )}
    </>
  );
}

function NewChannelForm({ platform }: { platform: Platform }) {
  const { fields } = GUIDES[platform];
  const [project, setProject] = useState("");
  const mayEdit = useMayEdit(project) !== false;
  const leadOn = useLeadOn();
  const making = useAction(async (form: FormData) => {
    const made = await workspace.channels.create({
      channel_type: platform,
      credentials: credentialsOf(form, fields),
      ...settingsOf(form),
      ...(project !== "" && { project_id: project }),
    });
    stale(names.channels);
    leadOn(`/channels/${made.id}`);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        making.run(new FormData(event.currentTarget));
      }}
    >
      <h2>In this service</h2>
      <SettingsFields platform={platform} />
      <ProjectChoice
        id="project"
        label="Project"
        value={project}
        none="No project: only you can write to it"
        onChoose={setProject}
      />
      <CredentialFields fields={fields} isChange={false} />
      <p class="muted small">The credentials are checked with the platform at once and never shown again.</p>
      <button type="submit" class="primary" disabled={making.isBusy || !mayEdit}>
        Connect
      </button>
      {making.error !== undefined && <Refused error={making.error} />}
    </form>
  );
}
