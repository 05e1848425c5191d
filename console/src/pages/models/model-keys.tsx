import type { api } from "@agent-workspace/client";
import { KeyRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { ActionButton } from "../../parts/action-button.tsx";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice, NamedOptions, TextField } from "../../parts/fields.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Used } from "../../parts/used.tsx";
import { addModelKey, deleteModelKey, testModelKey } from "../../service/model-keys.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { useCustomProviders, useModelKeys, useProviders } from "./reads.ts";

/** The person's keys of model providers. A key is never shown again: what is seen is its beginning. */
export function ModelKeys() {
  return (
    <section aria-labelledby="own-keys">
      <h2 id="own-keys">Provider keys</h2>
      <p class="muted">Use your own account at a model provider. Keys are stored encrypted.</p>
      <Loaded of={useModelKeys()}>
        {({ api_keys }) =>
          api_keys.length === 0 ? (
            <Empty icon={KeyRound} title="No keys yet">
              With a key, agents use the provider’s models, and your account there pays for them. Create one
              at the provider, then add it below.
            </Empty>
          ) : (
            <ul class="list">
              {api_keys.map((key) => (
                <KeyLine key={key.id} modelKey={key} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewKey />
    </section>
  );
}

function KeyLine({ modelKey }: { modelKey: api.ModelKey }) {
  const { id, provider, key_name, key_preview, base_url, last_used_at, expires_at } = modelKey;
  const path = { model_key: id };
  const [told, setTold] = useState("");
  const { data: builtIn } = useProviders();
  const providerName = builtIn?.providers.find(({ id: each }) => each === provider)?.name ?? provider;
  return (
    <li>
      <span class="told">
        {providerName}: {key_name} <code>{key_preview ?? "unreadable"}</code>
        <span class="muted small">
          {" "}
          {base_url !== null && `at ${base_url} · `}
          <Used at={last_used_at} /> ·{" "}
          {expires_at === null ? (
            "never expires"
          ) : (
            <>
              expires <Moment at={expires_at} />
            </>
          )}
        </span>
        <span class="small" role="status">
          {told}
        </span>
      </span>
      <ActionButton
        work={async () => {
          setTold("");
          setTold((await testModelKey(id)).message);
        }}
      >
        Test<span class="hidden"> {key_name}</span>
      </ActionButton>
      <AskFirst
        label={`Replace ${key_name}`}
        shown="Replace"
        title={`Replace the key ${key_name}`}
        confirm="Replace"
        isHarmless
        work={async (form) => {
          const body = { api_key: textOf(form, "api_key") };
          await workspace.request("PUT", "/api/secrets/api-keys/{model_key}", { path, body });
          stale(keys.models);
          setTold((await testModelKey(id)).message);
        }}
      >
        <TextField label="New key" name="api_key" type="password" required maxLength={10_000} />
      </AskFirst>
      <AskFirst
        label={`Delete ${key_name}`}
        shown="Delete"
        title={`Delete the key ${key_name}?`}
        confirm="Delete"
        work={async () => {
          await deleteModelKey(id);
          stale(keys.models);
        }}
      >
        <p>Agents can no longer use it. If nothing else needs it, revoke it at the provider, too.</p>
      </AskFirst>
    </li>
  );
}

function NewKey() {
  const { data: builtIn } = useProviders();
  const { data: custom } = useCustomProviders();
  // An account to sign in with has no key, and its id is that of the same company's models.
  const withKeys = builtIn?.providers.filter(({ requires_key }) => requires_key);
  return (
    <ActionForm
      submit="Add key"
      work={async (form) => {
        const body = {
          provider: textOf(form, "provider"),
          api_key: textOf(form, "api_key"),
          ...given(form, ["key_name", "base_url", "expires_at"]),
        };
        const added = await addModelKey(body);
        stale(keys.models);
        return added;
      }}
      done={({ test }) => `Added. ${test.message}`}
    >
      <Choice label="Provider" name="provider" required>
        <NamedOptions of={withKeys} />
        {custom?.providers.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name} (yours)
          </option>
        ))}
      </Choice>
      <TextField label="Key" name="api_key" type="password" required maxLength={10_000} />
      <TextField label="Name" name="key_name" maxLength={100} hint="Empty for the provider’s name." />
      <TextField
        label="Base URL"
        name="base_url"
        type="url"
        maxLength={2048}
        hint="Only to use another address than the provider’s."
      />
      <TextField label="Expires on" name="expires_at" type="date" />
    </ActionForm>
  );
}
