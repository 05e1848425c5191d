import { useQuery } from "@tanstack/preact-query";
import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { ActionButton } from "../../parts/action-button.tsx";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { TextField } from "../../parts/fields.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { Repositories } from "./repositories.tsx";

const HOSTS = ["git-hosts"];

/** The person's accounts at git hosts, with which projects clone, pull and push. */
export function GitHostsPage() {
  // A connection is made in another window, so it is read again whenever the person comes back.
  const hosts = useQuery({
    queryKey: HOSTS,
    queryFn: ({ signal }) => workspace.request("GET", "/api/git-providers", { signal }),
    staleTime: 0,
  });
  return (
    <>
      <Heading>Git hosts</Heading>
      <p class="muted">
        Connect GitHub, GitLab or Bitbucket so that projects can clone, pull and push with your account.
      </p>
      <Loaded of={hosts}>
        {({ providers }) => (
          <>
            {providers.map((host) => (
              <Host key={host.provider} host={host} />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function Host({ host }: { host: api.GitProviderStatus }) {
  const [isOpen, setOpen] = useState(false);
  const { provider, display_name: name } = host;
  return (
    <section aria-labelledby={provider}>
      <h2 id={provider}>{name}</h2>
      {host.connected ? (
        <>
          <p>
            Connected as <strong>{host.provider_username}</strong>
            {host.provider_email !== null && ` (${host.provider_email})`}, by{" "}
            {host.auth_type === "oauth_token" ? "OAuth" : "a token"}
            {host.scope !== null && host.scope !== "" && (
              <span class="muted small wrapping"> · scopes: {host.scope}</span>
            )}
          </p>
          <div class="row">
            <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Hide" : "Show"} {name} repositories
            </button>
            <AskFirst
              label={`Disconnect ${name}`}
              shown="Disconnect"
              title={`Disconnect ${name}?`}
              confirm="Disconnect"
              work={async () => {
                const path = { git_host: provider };
                await workspace.request("DELETE", "/api/git-providers/{git_host}/disconnect", { path });
                stale(HOSTS);
              }}
            >
              <p>The stored token is deleted. Projects can no longer pull and push with it.</p>
            </AskFirst>
          </div>
          {isOpen && <Repositories host={provider} />}
        </>
      ) : (
        <Connect host={host} />
      )}
    </section>
  );
}

function Connect({ host }: { host: api.GitProviderStatus }) {
  const { provider, display_name: name, oauth_configured } = host;
  const path = { git_host: provider };
  return (
    <>
      <p class="muted">Not connected.</p>
      {oauth_configured && (
        <div class="row">
          <ActionButton work={() => goAndAgree(provider)}>Connect with {name}</ActionButton>
        </div>
      )}
      <details>
        <summary>Connect {name} with a token</summary>
        <ActionForm
          submit={`Connect ${name}`}
          work={async (form) => {
            const body = { token: textOf(form, "token"), ...given(form, ["username"]) };
            await workspace.request("PUT", "/api/git-providers/{git_host}/token", { path, body });
            stale(HOSTS);
          }}
        >
          <TextField
            label={`${name} token`}
            name="token"
            type="password"
            required
            maxLength={1000}
            hint="Create it in your account settings there. It is checked at once."
          />
          {provider === "bitbucket" && (
            <TextField label="Email address of that account" name="username" type="email" maxLength={320} />
          )}
        </ActionForm>
      </details>
    </>
  );
}

/** The host's own page, in another window where the browser permits one: it ends on a page that can be closed. */
async function goAndAgree(git_host: api.GitProviderStatus["provider"]): Promise<void> {
  const other = window.open("", "_blank");
  try {
    const { authorization_url } = await workspace.request(
      "GET",
      "/api/git-providers/{git_host}/oauth/authorize",
      { path: { git_host } },
    );
    (other ?? window).location.assign(authorization_url);
  } catch (refusal) {
    other?.close();
    throw refusal;
  }
}
