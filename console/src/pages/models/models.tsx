import type { api } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Table } from "../../parts/table.tsx";
import { keys, stale, useModels } from "../../service/reads.ts";
import { useTeamRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";

const SOURCES: Record<api.Model["source"], string> = {
  system: "this installation",
  provider: "your key",
  custom: "you added it",
  custom_provider: "your provider",
};

/** Which models there are. Who manages the team's agents switches them off and on for the team. */
export function Models() {
  const role = useTeamRole();
  const mayChange = role === "admin" || role === "editor";
  return (
    <Loaded of={useModels()}>
      {({ models, default: first }) => (
        <>
          {models.length === 0 && (
            <p>
              There is no model. Add a key of a provider under “Your keys”, or ask the operator of this
              installation.
            </p>
          )}
          {first === "demo" && (
            <p class="notice">
              This installation has the model <code>demo</code> only, which plays a fixed part and does not
              think. Add a key of a provider to work with a real one.
            </p>
          )}
          <Table
            label="List of models"
            columns={["Model", "From", "Price per million tokens", "State"]}
            hasActions={mayChange}
          >
            {models.map((model) => (
              <tr key={model.id}>
                <td>
                  {model.name} {model.id === first && <strong class="small">the default</strong>}
                  <div class="muted small wrapping">{model.id}</div>
                </td>
                <td>
                  {SOURCES[model.source]}
                  <div class="muted small">{model.provider_name ?? model.provider}</div>
                </td>
                <td>{priceOf(model.pricing)}</td>
                <td>{stateOf(model)}</td>
                {mayChange && (
                  <td>
                    <Switching model={model} />
                  </td>
                )}
              </tr>
            ))}
          </Table>
        </>
      )}
    </Loaded>
  );
}

function Switching({ model }: { model: api.Model }) {
  return (
    <ActionButton
      work={async () => {
        const body = { model_id: model.id, enabled: model.disabled };
        await workspace.request("PUT", "/api/secrets/model-preferences", { body });
        stale(keys.models);
      }}
    >
      {model.disabled ? "Switch on" : "Switch off"}
      <span class="hidden"> {model.name}</span>
    </ActionButton>
  );
}

function stateOf({ disabled, available }: api.Model): string {
  if (disabled) return "switched off for the team";
  return available ? "ready" : "needs a key, or a tier that allows keys";
}

function priceOf(pricing: api.Model["pricing"]): string {
  return pricing ? `$${pricing.input} in, $${pricing.output} out` : "not known";
}
