import { bareName, DEMO_MODEL, isPlatformId, type ModelSettings } from "#src/models/settings.ts";

/** The account and model that a model id selects. */
export type ModelRoute =
  /** A model on the platform's own accounts. */
  | { kind: "platform"; name: string }
  /** A built-in provider, with the person's own key. */
  | { kind: "provider"; provider: string; name: string }
  /** A custom provider of the person. */
  | { kind: "custom"; slug: string; name: string }
  /** The provider of an added model with exactly this id. */
  | { kind: "added"; name: string }
  | { kind: "malformed" };

export function parseModelId(
  id: string,
  { platformModels, providers }: Pick<ModelSettings, "platformModels" | "providers">,
): ModelRoute {
  if (isPlatformId(id, platformModels)) return { kind: "platform", name: bareName(id) };
  const [head = "", ...rest] = id.split("/");
  if (head === "custom") {
    const [slug = "", ...more] = rest;
    const name = more.join("/");
    return slug === "" || name === "" ? { kind: "malformed" } : { kind: "custom", slug, name };
  }
  const name = rest.join("/");
  if (head === "" || name === "") return { kind: "malformed" };
  const known = providers.some((provider) => provider.id === head);
  return known ? { kind: "provider", provider: head, name } : { kind: "added", name: id };
}

/** Whether the platform has a model of this name. */
export function isPlatformModel({ platformModels }: Pick<ModelSettings, "platformModels">, name: string) {
  return name === DEMO_MODEL || platformModels.includes(name);
}
