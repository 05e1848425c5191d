import type { OwnAccount } from "#src/models/choose.ts";
import { ModelError, type Model } from "#src/models/model.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { accountOf, targetOf, type CustomTarget } from "./own-account.ts";
import { isPlatformModel, parseModelId, type ModelRoute } from "./parse-model-id.ts";
import { lookUpKey, type KeyLookup } from "./queries/own-key.ts";
import { BYOK_REFUSAL } from "./require-tier.ts";
import { isSwitchedOff, namedBy } from "./switched-off.ts";

/** A model, and who pays for its calls. */
export interface ChosenModel {
  /** The requested id, prefix included. */
  id: string;
  model: Model;
  /** Whether the calls use the person's own key. */
  isByok: boolean;
}

export interface ChooseModelDeps {
  db: Db;
  modelKeySecrets: Pick<Secrets, "decrypt">;
  modelSettings: ModelSettings;
  log: Pick<Log, "warn">;
  /** The platform's model with a name. */
  chooseModel(name: string | null): Model;
  /** A model that uses a person's own key. */
  chooseOwnModel(account: OwnAccount): Model;
}

export interface ModelUser {
  userId: string;
  /** The project's team. */
  teamId: string;
  /** Models that the team has switched off, if already known. Read again whenever the database is queried anyway. */
  disabledModels?: readonly string[];
  /**
   * Whether the prompt is a secret from this person. Only models of the platform get it: who owns a key can read what was
   * sent with it, at an own address as in a vendor's console.
   */
  isPromptSecret?: boolean;
}

/**
 * The model with an id, for calls of a person in a project of a team; null is the platform's default. Call this before
 * each model call, because keys and tiers may change. One round trip to the database, none for the platform's models.
 *
 * Throws `ModelError` with a sentence for the person: an unknown or switched-off model, no key of exactly that
 * provider, an expired or undecryptable key; `forbidden` for a tier without own keys, and for a secret prompt.
 */
export async function chooseModelFor(
  deps: ChooseModelDeps,
  who: ModelUser,
  id: string | null,
): Promise<ChosenModel> {
  const { platformModels } = deps.modelSettings;
  const asked = id ?? platformModels[0] ?? "";
  const route = parseModelId(asked, deps.modelSettings);
  const named = namedBy(asked, deps.modelSettings);
  if (named && isSwitchedOff(named, who.disabledModels ?? [], deps.modelSettings)) throw switchedOff(asked);
  if (route.kind === "malformed") throw refused(`'${asked}' is not a valid model id`);
  if (route.kind !== "platform") {
    if (who.isPromptSecret) throw new ModelError("forbidden", secretPrompt(asked), { retryable: false });
    return own(deps, who, { id: asked, provider: providerOf(route), name: route.name });
  }
  if (!isPlatformModel(deps.modelSettings, route.name)) {
    throw refused(`There is no model ${asked} here: choose one from the list of models`);
  }
  return { id: asked, model: deps.chooseModel(route.name), isByok: false };
}

/** The provider of a route; null if only the person's list of added models can tell. */
function providerOf(route: Exclude<ModelRoute, { kind: "platform" | "malformed" }>): string | null {
  if (route.kind === "added") return null;
  return route.kind === "custom" ? route.slug : route.provider;
}

async function own(
  deps: ChooseModelDeps,
  who: ModelUser,
  wish: { id: string; provider: string | null; name: string },
): Promise<ChosenModel> {
  const { modelSettings } = deps;
  const lookup = await lookUpKey(deps.db, who, wish, modelSettings.byokTiers);
  if (!lookup || lookup.provider === null) {
    const known = modelSettings.providers.map(({ id }) => id).join(", ");
    throw refused(`'${wish.id}' does not begin with a known provider: ${known}, custom`);
  }
  const named = { provider: lookup.provider, name: wish.name };
  if (isSwitchedOff(named, lookup.disabledModels, modelSettings)) throw switchedOff(wish.id);
  const target = targetOf(modelSettings, lookup.provider, customOf(lookup));
  if (!target) throw refused(`You have no provider '${lookup.provider}': add it in your settings`);
  const encryptedValue = requireKey(lookup, target.label);
  const key = { encryptedValue, baseUrl: lookup.keyUrl, authType: lookup.authType };
  const account = await accountOf(deps, target, key, lookup.customHeaders);
  return { id: wish.id, model: deps.chooseOwnModel({ ...account, model: wish.name }), isByok: true };
}

function customOf({ customName, customUrl, customType }: KeyLookup): CustomTarget | undefined {
  if (customName === null || customUrl === null || customType === null) return undefined;
  return { name: customName, baseUrl: customUrl, apiType: customType };
}

function requireKey({ hasTier, keyValue, isExpired }: KeyLookup, label: string): string {
  if (keyValue === null) {
    throw new ModelError(
      "unauthorized",
      `You have no API key configured for ${label}: add one in your settings`,
      {
        retryable: false,
      },
    );
  }
  if (!hasTier) throw new ModelError("forbidden", BYOK_REFUSAL, { retryable: false });
  if (isExpired) {
    throw new ModelError(
      "unauthorized",
      `Your own API key for ${label} has expired: replace it in your settings`,
      {
        retryable: false,
      },
    );
  }
  return keyValue;
}

/** Why a model does not get an agent's prompt, as a sentence for the person. */
export function secretPrompt(id: string): string {
  return `The prompt of this agent is closed, so only models of the platform may read it. Choose one of them in place of ${id}`;
}

function switchedOff(id: string): ModelError {
  return refused(`The model ${id} is switched off for this team`);
}

function refused(sentence: string): ModelError {
  return new ModelError("invalid_request", sentence, { retryable: false });
}
