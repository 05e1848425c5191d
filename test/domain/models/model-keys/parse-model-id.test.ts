import { describe, expect, it } from "vitest";
import { isPlatformModel, parseModelId } from "#src/domain/models/model-keys/index.ts";
import { modelSettings } from "#src/models/settings.ts";

const settings = modelSettings({
  DEFAULT_MODEL: "builtin/gpt-5",
  PLATFORM_MODELS: "claude-sonnet-4-5, vendor/model,,gpt-5",
  BYOK_ENABLED_TIERS: "pro, ultra",
  PUBLIC_URL: "https://workspace.test",
});

describe("a model id", () => {
  it.each([
    ["gpt-5", { kind: "platform", name: "gpt-5" }],
    ["builtin/gpt-5", { kind: "platform", name: "gpt-5" }],
    ["builtin/openai/gpt-5", { kind: "platform", name: "openai/gpt-5" }],
    ["vendor/model", { kind: "platform", name: "vendor/model" }],
    ["openai/gpt-5", { kind: "provider", provider: "openai", name: "gpt-5" }],
    ["openrouter/anthropic/x", { kind: "provider", provider: "openrouter", name: "anthropic/x" }],
    ["google/gemini-2.5-pro", { kind: "provider", provider: "google", name: "gemini-2.5-pro" }],
    ["custom/own/a/b", { kind: "custom", slug: "own", name: "a/b" }],
    ["nowhere/x", { kind: "added", name: "nowhere/x" }],
    ["OpenAI/gpt-5", { kind: "added", name: "OpenAI/gpt-5" }],
    ["custom/own", { kind: "malformed" }],
    ["custom/own/", { kind: "malformed" }],
    ["custom//m", { kind: "malformed" }],
    ["openai/", { kind: "malformed" }],
    ["/gpt-5", { kind: "malformed" }],
    ["/", { kind: "malformed" }],
  ])("leads where its first segment says: %s", (id, route) => {
    expect(parseModelId(id, settings)).toEqual(route);
  });
});

describe("the platform's models", () => {
  it("are the default one, then those that are named", () => {
    expect(settings.platformModels).toEqual(["gpt-5", "claude-sonnet-4-5", "vendor/model"]);
    expect(settings.byokTiers).toEqual(["pro", "ultra"]);
  });

  it.each([
    ["gpt-5", true],
    ["demo", true],
    ["gpt-5-pro", false],
    ["", false],
  ])("are no others: %s", (name, isThere) => {
    expect(isPlatformModel(settings, name)).toBe(isThere);
  });
});
