import type { api } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Table } from "../../parts/table.tsx";
import { isDemo } from "../../service/model-keys.ts";
import { keys, stale, useModels } from "../../service/reads.ts";
import { useTeamRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";

const SOURCES: Record<api.Model["source"], string> = {
  system: "This installation",
  provider: "Your key",
  custom: "Added by you",
  custom_provider: "Your provider",
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
              No models yet. Add a provider key under “Provider keys”, or ask the operator of this
              installation.
            </p>
          )}
          {first !== null &&
            isDemo(first) &&
            models.every(({ id, available }) => isDemo(id) || !available) && (
              <p class="notice">
                Only the <code>demo</code> model is available. It follows a script. Add a provider key to use
                a real model.
              </p>
            )}
          <Table
            label="List of models"
            columns={["Model", "From", "Per million tokens", "State"]}
            hasActions={mayChange}
          >
            {models.map((model) => (
              <tr key={model.id}>
                <td>
                  {model.name} {model.id === first && <Badge kind="accent">Default</Badge>}
                  <div class="muted small wrapping">{model.id}</div>
                </td>
                <td>
                  {SOURCES[model.source]}
                  <div class="muted small">{model.provider_name ?? model.provider}</div>
                </td>
                <td>
                  <Price of={model.pricing} />
                </td>
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
      {model.disabled ? "Turn on" : "Turn off"}
      <span class="hidden"> {model.name}</span>
    </ActionButton>
  );
}

function stateOf({ disabled, available }: api.Model): string {
  if (disabled) return "Off for the team";
  return available ? "Ready" : "Needs a key, or a plan that allows keys";
}

const DOLLARS = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  // A cheap model costs parts of a cent.
  maximumFractionDigits: 4,
});

function Price({ of: pricing }: { of: api.Model["pricing"] }) {
  if (!pricing) return "Unknown";
  return (
    <>
      {DOLLARS.format(pricing.input)} in
      <div>{DOLLARS.format(pricing.output)} out</div>
    </>
  );
}
