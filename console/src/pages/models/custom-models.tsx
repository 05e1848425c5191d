import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Choice, NamedOptions, TextField } from "../../parts/fields.tsx";
import { Folded } from "../../parts/folded.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { keys, stale, useModels } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { useCustomProviders, useProviders } from "./reads.ts";

/** Models that the person added to the list of a provider. */
export function CustomModels() {
  return (
    <section aria-labelledby="custom-models">
      <h2 id="custom-models">Your models</h2>
      <Loaded of={useModels()}>
        {({ custom_models }) => (
          <ul class="list">
            {custom_models.map(({ id, name, custom_id }) => (
              <li key={id}>
                <span class="told">
                  {name} <code>{id}</code>
                </span>
                {custom_id !== null && (
                  <AskFirst
                    label={`Remove ${name}`}
                    shown="Remove"
                    title={`Remove the model ${name}?`}
                    confirm="Remove"
                    work={async () => {
                      const path = { added_model: custom_id };
                      await workspace.request("DELETE", "/api/marketplace/models/custom/{added_model}", {
                        path,
                      });
                      stale(keys.models);
                    }}
                  >
                    <p>Agents and chats that use it fail until they use another model.</p>
                  </AskFirst>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Folded summary="Add a model">
        <NewModel />
      </Folded>
    </section>
  );
}

function NewModel() {
  const { data: builtIn } = useProviders();
  const { data: custom } = useCustomProviders();
  // Integrations have keys but no models.
  const withModels = builtIn?.providers.filter(({ base_url }) => base_url !== undefined) ?? [];
  return (
    <ActionForm
      submit="Add model"
      done="Added"
      work={async (form) => {
        const dollars = (name: string) => (textOf(form, name) === "" ? null : Number(textOf(form, name)));
        const body = {
          provider: textOf(form, "provider"),
          model_id: textOf(form, "model_id"),
          model_name: textOf(form, "model_name"),
          pricing_input: dollars("pricing_input"),
          pricing_output: dollars("pricing_output"),
        };
        await workspace.request("POST", "/api/marketplace/models/custom", { body });
        stale(keys.models);
      }}
    >
      <Choice label="Provider" name="provider" required>
        <NamedOptions of={withModels} />
        {custom?.providers.map(({ slug, name }) => (
          <option key={slug} value={`custom/${slug}`}>
            {name} (yours)
          </option>
        ))}
      </Choice>
      <TextField label="Model ID at the provider" name="model_id" required maxLength={200} />
      <TextField label="Name" name="model_name" required maxLength={200} />
      <TextField
        label="Input price, US dollars per million tokens"
        name="pricing_input"
        type="number"
        min={0}
        step="any"
      />
      <TextField
        label="Output price, US dollars per million tokens"
        name="pricing_output"
        type="number"
        min={0}
        step="any"
      />
    </ActionForm>
  );
}
