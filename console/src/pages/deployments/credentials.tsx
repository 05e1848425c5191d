import type { api } from "@agent-workspace/client";
import { KeyRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Folded } from "../../parts/folded.tsx";
import { textOf } from "../../parts/form-text.ts";
import { hostingName } from "../../parts/hosting-name.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale, useProjects } from "../../service/reads.ts";
import { useMayEdit } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { names, useCredentials, useProviders } from "./reads.ts";

/** The person's access to hosting providers. Tokens are typed once and never shown. */
export function Credentials() {
  return (
    <section aria-label="Provider tokens">
      <h2>Provider tokens</h2>
      <Loaded of={useCredentials()}>
        {(found) => (
          <>
            {found.length === 0 && (
              <Empty icon={KeyRound} title="No tokens yet">
                A token lets the service deploy to your account at a hosting provider. Create one there, then
                add it below.
              </Empty>
            )}
            <ul class="list">
              {found.map((credential) => (
                <CredentialLine key={credential.id} credential={credential} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <Folded summary="Add a token">
        <NewCredential />
      </Folded>
    </section>
  );
}

function CredentialLine({ credential }: { credential: api.DeploymentCredential }) {
  const { id, provider, project_id, is_readable, updated_at } = credential;
  const { data: projects = [] } = useProjects();
  const [outcome, setOutcome] = useState<string>();
  const testing = useAction(async () => {
    setOutcome(undefined);
    const tested = await workspace.request(
      "POST",
      "/api/deployment-credentials/test/{deployment_credential}",
      { path: { deployment_credential: id } },
    );
    setOutcome(
      tested.valid
        ? `Valid, for the account ${tested.provider_info?.account_name ?? ""}.`
        : (tested.error ?? "Not valid."),
    );
  });
  const project = projects.find((each) => each.id === project_id);
  const name = hostingName(provider);
  return (
    <li>
      <span class="told">
        {name}{" "}
        <span class="muted small">
          for {project_id === null ? "all projects" : (project?.name ?? "a project")} · added{" "}
          <Moment at={updated_at} />
        </span>
      </span>
      {!is_readable && <span class="outcome failed">This token can no longer be read. Add it again.</span>}
      <button
        type="button"
        aria-label={`Test ${name}`}
        disabled={testing.isBusy}
        onClick={() => testing.run()}
      >
        Test
      </button>
      <AskFirst
        label={`Delete ${name}…`}
        shown="Delete…"
        confirm={`Delete ${name}`}
        title={`Delete the ${name} token?`}
        work={async () => {
          await workspace.request("DELETE", "/api/deployment-credentials/{deployment_credential}", {
            path: { deployment_credential: id },
          });
          stale(names.credentials);
        }}
      >
        <p>Sites that are already deployed stay online.</p>
      </AskFirst>
      <span role="status">{outcome}</span>
      {testing.error !== undefined && <Refused error={testing.error} />}
    </li>
  );
}

function NewCredential() {
  return <Loaded of={useProviders()}>{(providers) => <CredentialForm providers={providers} />}</Loaded>;
}

function CredentialForm({ providers }: { providers: readonly api.HostingProvider[] }) {
  const [project, setProject] = useState("");
  const mayEdit = useMayEdit(project);
  const [picked, setPicked] = useState<string>();
  const provider = providers.find(({ name }) => name === picked) ?? providers[0];
  const [, ...required] = provider?.required_fields ?? [];
  const storing = useAction(async (form: HTMLFormElement) => {
    if (!provider) return;
    const typed = new FormData(form);
    const metadata = [...required, ...provider.optional_fields].map(
      (name) => [name, textOf(typed, name)] as const,
    );
    await workspace.request("POST", "/api/deployment-credentials", {
      body: {
        provider: provider.name,
        access_token: textOf(typed, "token"),
        metadata: Object.fromEntries(metadata.filter(([, value]) => value !== "")),
        ...(project !== "" && { project_id: project }),
      },
    });
    form.reset();
    setProject("");
    stale(names.credentials);
  });
  if (!provider) return null;
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        storing.run(event.currentTarget);
      }}
    >
      <div class="field">
        <label for="credential-provider">Provider</label>
        <select
          id="credential-provider"
          value={provider.name}
          onChange={({ currentTarget }) => setPicked(currentTarget.value)}
        >
          {providers.map(({ name, display_name }) => (
            <option key={name} value={name}>
              {display_name}
            </option>
          ))}
        </select>
        <span class="muted small">{provider.description}</span>
      </div>
      <div class="field">
        <label for="token">Token</label>
        <input id="token" name="token" type="password" required autocomplete="off" />
      </div>
      {required.map((name) => (
        <TextField key={name} name={name} isRequired />
      ))}
      {provider.optional_fields.map((name) => (
        <TextField key={name} name={name} isRequired={false} />
      ))}
      <ProjectChoice
        id="credential-project"
        label="For"
        value={project}
        none="All my projects"
        onChoose={setProject}
      />
      <button type="submit" disabled={storing.isBusy || mayEdit === false}>
        Add token
      </button>
      {provider.auth_type === "oauth" && <Connect provider={provider.name} name={provider.display_name} />}
      {storing.error !== undefined && <Refused error={storing.error} />}
    </form>
  );
}

/** The name of a provider's field, as people write it. */
function labelOf(name: string): string {
  const words = name.replaceAll("_", " ").replace(/\bid\b/u, "ID");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function TextField({ name, isRequired }: { name: string; isRequired: boolean }) {
  return (
    <div class="field">
      <label for={name}>
        {labelOf(name)}
        {!isRequired && " (optional)"}
      </label>
      <input id={name} name={name} required={isRequired} autocomplete="off" />
    </div>
  );
}

/** Leads to the provider, which asks whether the service may use the account there. */
function Connect({ provider, name }: { provider: api.HostingProvider["name"]; name: string }) {
  const connecting = useAction(async () => {
    // Its accounts are connected by token alone.
    if (provider === "cloudflare") return;
    const { auth_url: address } = await workspace.request(
      "GET",
      "/api/deployment-oauth/{hosting_provider}/authorize",
      { path: { hosting_provider: provider } },
    );
    location.assign(address);
  });
  return (
    <>
      <button type="button" disabled={connecting.isBusy} onClick={() => connecting.run()}>
        Connect with {name}
      </button>
      {connecting.error !== undefined && <Refused error={connecting.error} />}
    </>
  );
}
