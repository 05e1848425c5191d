import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Choice, LinesField, NamedOptions, TextField } from "../../parts/fields.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { stale, useContainers } from "../../service/reads.ts";
import { useMayEdit } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { names, useCredentials, useProviders } from "./reads.ts";
import { variablesOf } from "./variables-of.ts";

const OF_CONTAINER = "Leave it empty to use the container’s.";
const MODE_NAMES = { source: "The provider", "pre-built": "This service" } as const;
const isMode = (text: string): text is keyof typeof MODE_NAMES => text in MODE_NAMES;

/** The form that publishes a project at a provider which the person has access to. */
export function DeployForm() {
  return (
    <>
      <Heading>Deploy a project</Heading>
      <Loaded of={useCredentials()}>
        {(credentials) =>
          credentials.length === 0 ? (
            <p>
              Add a token of a hosting provider first, under <Link href="/deployments">Deployments</Link>.
            </p>
          ) : (
            <Fields connected={new Set(credentials.map(({ provider }) => provider))} />
          )
        }
      </Loaded>
    </>
  );
}

function Fields({ connected }: { connected: ReadonlySet<string> }) {
  const { data: all = [] } = useProviders();
  const providers = all.filter(({ name }) => connected.has(name));
  const [project, setProject] = useState("");
  const [picked, setProvider] = useState<string>();
  const provider = providers.find(({ name }) => name === picked) ?? providers[0];
  const mayEdit = useMayEdit(project);
  const leadOn = useLeadOn();
  const deploying = useAction(async (form: FormData) => {
    const mode = textOf(form, "mode");
    const variables = variablesOf(textOf(form, "variables"));
    const made = await workspace.deployments.create({
      project_id: project,
      provider: provider?.name ?? "",
      ...(isMode(mode) && { deployment_mode: mode }),
      ...given(form, ["container_id", "branch", "build_command", "output_directory"]),
      ...(Object.keys(variables).length > 0 && { env_vars: variables }),
      ...(form.has("container_env") && { include_container_env: true }),
    });
    stale(names.deployments);
    leadOn(`/deployments/${made.id}`);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        deploying.run(new FormData(event.currentTarget));
      }}
    >
      <ProjectChoice id="project" label="Project" value={project} onChoose={setProject} />
      <div class="field">
        <label for="provider">Provider</label>
        <select
          id="provider"
          value={provider?.name}
          onChange={({ currentTarget }) => setProvider(currentTarget.value)}
        >
          {providers.map(({ name, display_name }) => (
            <option key={name} value={name}>
              {display_name}
            </option>
          ))}
        </select>
      </div>
      {provider && provider.deployment_modes.length > 1 && (
        <div class="field">
          <label for="mode">Built by</label>
          <select id="mode" name="mode">
            {provider.deployment_modes.map((mode) => (
              <option key={mode} value={mode}>
                {MODE_NAMES[mode]}
              </option>
            ))}
          </select>
        </div>
      )}
      <details>
        <summary>More options</summary>
        <div class="form">
          {project !== "" && <ContainerChoice key={project} project={project} />}
          {provider?.deployment_modes.includes("source") && (
            <TextField
              label="Deploy only if on branch"
              name="branch"
              maxLength={250}
              hint="Leave it empty to deploy whichever branch the project is on."
            />
          )}
          <TextField label="Build command" name="build_command" hint={OF_CONTAINER} />
          <TextField label="Output folder" name="output_directory" hint={OF_CONTAINER} />
          <LinesField
            label="Variables"
            name="variables"
            rows={3}
            spellcheck={false}
            placeholder={"API_ADDRESS=https://api.example.com"}
            hint="One NAME=value in each line. Stored encrypted."
          />
          <label class="row">
            <input type="checkbox" name="container_env" value="yes" />
            Include the container’s variables
          </label>
        </div>
      </details>
      <button type="submit" class="primary" disabled={deploying.isBusy || mayEdit === false}>
        Deploy
      </button>
      {deploying.error !== undefined && <Refused error={deploying.error} />}
    </form>
  );
}

/** Which container of the project is published; the first one unless another is chosen. */
function ContainerChoice({ project }: { project: string }) {
  const { data: containers = [] } = useContainers(project);
  if (containers.length < 2) return null;
  return (
    <Choice label="Container" name="container_id">
      <option value="">First container</option>
      <NamedOptions of={containers} />
    </Choice>
  );
}
