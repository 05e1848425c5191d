import type { api } from "@agent-workspace/client";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Choice, LinesField, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../parts/numbers.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { useCustomProviders } from "./reads.ts";

const APIS: Readonly<Record<api.CustomModelProvider["api_type"], string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
};

/** Servers of the person's own that speak the protocol of OpenAI or Anthropic. */
export function CustomProviders() {
  return (
    <section aria-labelledby="providers">
      <h2 id="providers">Your providers</h2>
      <Loaded of={useCustomProviders()}>
        {({ providers }) => (
          <>
            {providers.length === 0 && (
              <p class="muted">Add any server that speaks the OpenAI or Anthropic API.</p>
            )}
            <ul class="list">
              {providers.map((provider) => (
                <ProviderLine key={provider.id} provider={provider} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <details>
        <summary>Add a provider</summary>
        <ActionForm
          submit="Add provider"
          done="Added. If it needs a key, add it under “Provider keys”."
          work={async (form) => {
            const body = { ...fieldsOf(form), slug: textOf(form, "slug") };
            await workspace.request("POST", "/api/secrets/providers/custom", { body });
            stale(keys.models);
          }}
        >
          <ProviderFields />
          <TextField
            label="Short name"
            name="slug"
            required
            maxLength={64}
            pattern="[A-Za-z0-9_\-]+"
            hint="Its models are named custom/<short name>/<model>. It cannot be changed later."
          />
        </ActionForm>
      </details>
    </section>
  );
}

function ProviderLine({ provider }: { provider: api.CustomModelProvider }) {
  const { id, name, slug, base_url, api_type, available_models } = provider;
  const path = { model_provider: id };
  return (
    <li>
      <span class="told">
        {name} <code>custom/{slug}</code>
        <span class="muted small">
          {" "}
          {APIS[api_type]} API at {base_url} · {plural(available_models.length, "model")}
        </span>
      </span>
      <AskFirst
        label={`Change ${name}`}
        shown="Change"
        title={`Change ${name}`}
        confirm="Save"
        isHarmless
        work={async (form) => {
          const body = fieldsOf(form);
          await workspace.request("PUT", "/api/secrets/providers/custom/{model_provider}", { path, body });
          stale(keys.models);
        }}
      >
        <ProviderFields provider={provider} />
      </AskFirst>
      <AskFirst
        label={`Delete ${name}`}
        shown="Delete"
        title={`Delete the provider ${name}?`}
        confirm="Delete"
        work={async () => {
          await workspace.request("DELETE", "/api/secrets/providers/custom/{model_provider}", { path });
          stale(keys.models);
        }}
      >
        <p>Its keys and models are deleted, too.</p>
      </AskFirst>
    </li>
  );
}

function ProviderFields({ provider }: { provider?: api.CustomModelProvider }) {
  return (
    <>
      <TextField label="Name" name="name" required maxLength={100} defaultValue={provider?.name ?? ""} />
      <TextField
        label="Base URL"
        name="base_url"
        type="url"
        required
        maxLength={2048}
        placeholder="https://models.example.com/v1"
        defaultValue={provider?.base_url ?? ""}
      />
      <Choice label="API" name="api_type">
        {Object.entries(APIS).map(([each, name]) => (
          <option key={each} value={each} selected={each === provider?.api_type}>
            {name}
          </option>
        ))}
      </Choice>
      <LinesField
        label="Models"
        name="available_models"
        rows={3}
        defaultValue={provider?.available_models.join("\n") ?? ""}
        hint="One per line, as the server names them."
      />
    </>
  );
}

function fieldsOf(form: FormData) {
  return {
    name: textOf(form, "name"),
    base_url: textOf(form, "base_url"),
    api_type: textOf(form, "api_type"),
    available_models: textOf(form, "available_models")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  };
}
