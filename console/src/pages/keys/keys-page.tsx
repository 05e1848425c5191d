import type { api } from "@agent-workspace/client";
import { useRef, useState } from "preact/hooks";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Badge } from "../../parts/badge.tsx";
import { NamedOptions } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { Used } from "../../parts/used.tsx";
import { keys as names, stale, useApiKeys, useProjects } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { NewKey, NewSecret } from "./new-key.tsx";
import { Scopes } from "./scopes.tsx";

/** The person's keys for programs. */
export function KeysPage() {
  const [shown, setShown] = useState<{ key: api.ApiKey; project: string | undefined }>();
  const { data: projects = [] } = useProjects();
  const name = useRef<HTMLInputElement>(null);
  const making = useAction(async (form: FormData) => {
    const project = textOf(form, "project");
    const days = Number(textOf(form, "days"));
    const scopes = form.getAll("scopes").filter((value) => typeof value === "string");
    const made = await workspace.keys.create({
      name: textOf(form, "name"),
      ...(project !== "" && { project_id: project }),
      ...(days > 0 && { expires_in_days: days }),
      ...(scopes.length > 0 && { scopes }),
    });
    // The second click of a double click finds no name.
    if (name.current) name.current.value = "";
    setShown({ key: made, project: project || projects[0]?.id });
    stale(names.apiKeys);
  });
  return (
    <>
      <Heading>API keys</Heading>
      <p class="muted">
        Programs use a key to start agents over the API. <a href="/guide/keys">Read about keys and scopes</a>
      </p>
      {shown && <NewKey apiKey={shown.key} project={shown.project} />}
      <form
        class="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          making.run(new FormData(event.currentTarget));
        }}
      >
        <div class="field">
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            ref={name}
            required
            maxLength={100}
            autocomplete="off"
            placeholder="CI"
          />
        </div>
        <div class="field">
          <label for="project">Access to</label>
          <select id="project" name="project">
            <option value="">All my projects</option>
            <NamedOptions of={projects} />
          </select>
        </div>
        <div class="field">
          <label for="days">Expires</label>
          <select id="days" name="days">
            <option value="30">In 30 days</option>
            <option value="90" selected>
              In 90 days
            </option>
            <option value="365">In a year</option>
            <option value="0">Never</option>
          </select>
        </div>
        <Scopes />
        <button type="submit" class="primary" disabled={making.isBusy}>
          Create key
        </button>
        {making.error !== undefined && <Refused error={making.error} />}
      </form>
      <Loaded of={useApiKeys()}>
        {(found) =>
          found.length > 0 && (
            <>
              <h2>Your API keys</h2>
              <ul class="list" aria-label="Your API keys">
                {found.map((key) => (
                  <KeyLine key={key.id} apiKey={key} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function KeyLine({ apiKey }: { apiKey: api.ApiKey }) {
  const { id, name, key_prefix, is_active, last_used_at, expires_at, scopes, project_ids } = apiKey;
  const { data: projects = [] } = useProjects();
  const [secret, setSecret] = useState<string>();
  const reaches = project_ids?.map((each) => projects.find((project) => project.id === each)?.name ?? each);
  const isOver = expires_at !== null && new Date(expires_at) < new Date();
  return (
    <li>
      <span class="told">
        {name} <code>{key_prefix}…</code>
        <span class="muted small">
          {" "}
          {reaches?.join(", ") ?? "All projects"} · {scopes === null ? "full access" : scopes.join(", ")} ·{" "}
          <Used at={last_used_at} /> ·{" "}
          {expires_at === null ? (
            "never expires"
          ) : (
            <>
              {isOver ? "expired" : "expires"} <Moment at={expires_at} />
            </>
          )}
        </span>
      </span>
      {is_active ? (
        <>
          <AskFirst
            label={`New callback secret for ${name}`}
            shown="New secret"
            title={`Create a new callback secret for ${name}?`}
            confirm="Create secret"
            isHarmless
            work={async () => setSecret((await workspace.keys.rotateSecret(id)).webhook_secret)}
          >
            <p>The key stays the same. The previous secret also works for 24 hours.</p>
          </AskFirst>
          <AskFirst
            label={`Revoke ${name}`}
            shown="Revoke"
            title={`Revoke ${name}?`}
            confirm="Revoke"
            work={async () => {
              await workspace.keys.revoke(id);
              stale(names.apiKeys);
            }}
          >
            <p>The key stops working at once and cannot be restored. Its running tasks are stopped.</p>
          </AskFirst>
          {secret !== undefined && <NewSecret name={name} secret={secret} />}
        </>
      ) : (
        <Badge>Revoked</Badge>
      )}
    </li>
  );
}
