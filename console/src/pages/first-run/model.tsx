import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { lazily } from "../../lazily.tsx";
import { isDemo, type KeyTest } from "../../service/model-keys.ts";
import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const ProviderKey = lazily(async () => (await import("./provider-key.tsx")).ProviderKey);

type Models = api.ListModelsResponses[200];

/** A model that a person may choose for the first message. */
export interface Offered {
  readonly id: string;
  readonly name: string;
}

/** Models of the person's own keys, and those that the provider of a new key has named. */
export function ownModels({ models }: Models, named: readonly string[]): Offered[] {
  const listed = models.filter(
    ({ source, available, disabled }) => source !== "system" && available && !disabled,
  );
  // Where the service knows a provider's models, its list is shorter, and has those that chat.
  const known = new Set(listed.map(({ id }) => providerOf(id)));
  const others = named.filter((id) => !known.has(providerOf(id)));
  return [...listed, ...others.map((id) => ({ id, name: id }))];
}

/** First segment of a model's id, or both of a custom provider's. */
const providerOf = (id: string) => /^(?:custom\/)?[^/]*/u.exec(id)?.[0];

/** The installation's default model, as people know it. */
export const defaultName = (models: Models): string =>
  models.models.find(({ id }) => id === models.default)?.name ?? "none";

const thinks = ({ default: id }: Models): boolean => id !== null && !isDemo(id);

/** The model that is chosen at first: the default one, unless it does not think and the person has another. */
export function firstModel(models: Models, own: readonly Offered[]): string {
  return thinks(models) ? "" : (own[0]?.id ?? "");
}

/** Says which model answers; where that is the demo model or none, takes a key of the person's own. */
export function Model({
  models,
  own,
  test,
  stored,
}: {
  models: Models;
  own: readonly Offered[];
  /** What the provider said of the key that was given here. */
  test: KeyTest | undefined;
  stored: (test: KeyTest) => void;
}) {
  if (test) {
    return (
      <p class="notice" role="status">
        {test.message}
      </p>
    );
  }
  if (own.length > 0) return null;
  if (thinks(models)) {
    return (
      <p class="muted">
        Model: <strong>{defaultName(models)}</strong>
      </p>
    );
  }
  const isNone = models.default === null;
  return (
    <section class="notice" aria-labelledby="model">
      <h2 id="model">{isNone ? "This installation has no model yet" : "The demo model follows a script"}</h2>
      <p>{isNone ? "Agents need one to answer." : "It costs nothing, and you can try everything with it."}</p>
      <OwnKey models={models} stored={stored} />
    </section>
  );
}

function OwnKey({ models, stored }: { models: Models; stored: (test: KeyTest) => void }) {
  const { data: plan } = useRead(["billing", "plan"], (signal) =>
    workspace.request("GET", "/api/billing/subscription", { signal }),
  );
  if (!plan) return null;
  if (!plan.byok_enabled) {
    return (
      <p>
        For real work, choose <Link href="/billing">a plan with your own provider keys</Link>, or ask the
        operator of this installation for a model.
      </p>
    );
  }
  return (
    <>
      <p>For real work, use your own key of a model provider.</p>
      <ProviderKey providers={models.external_providers} stored={stored} />
    </>
  );
}
