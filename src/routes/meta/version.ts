import { z } from "zod";
import { endpoint } from "#src/http/endpoint.ts";
import { sha256Hex } from "#src/lib/hash.ts";

/** Features that a client may test for before it relies on them, in alphabetical order. */
const FEATURES = [
  "agent_tasks",
  "api_keys",
  "approvals",
  "chat_attachments",
  "chat_sockets",
  "chats",
  "containers",
  "credits",
  "desktop_pairing",
  "files",
  "git",
  "model_keys",
  "model_proxy",
  "previews",
  "shell_sessions",
  "snapshots",
  "teams",
  "templates",
  "two_factor",
] as const;

/** Schemas of app manifests that can be installed; none so far. */
const MANIFEST_SCHEMAS: readonly string[] = [];

/** Changes exactly when the features change. */
const featureSetHash = sha256Hex(FEATURES.join("\n"));

export const version = endpoint({
  operationId: "getVersion",
  method: "get",
  path: "/api/version",
  tag: "Service",
  summary: "Get the build version",
  description: "The build's identity and its features.",
  access: "public",
  response: {
    status: 200,
    schema: z
      .object({
        build_sha: z.string().describe("`BUILD_SHA` of the deployment; `unknown` without it"),
        schema_versions: z.object({ manifest: z.array(z.string()) }),
        features: z.array(z.string()),
        feature_set_hash: z.string(),
        runtime_api_supported: z.array(z.string()),
      })
      .meta({ id: "Version" }),
  },
  handler: async ({ services: { config } }) => ({
    build_sha: config.BUILD_SHA ?? "unknown",
    schema_versions: { manifest: [...MANIFEST_SCHEMAS] },
    features: [...FEATURES],
    feature_set_hash: featureSetHash,
    runtime_api_supported: ["1.0"],
  }),
});

export const checkCompatibility = endpoint({
  operationId: "checkCompatibility",
  method: "post",
  path: "/api/version/check-compat",
  tag: "Service",
  summary: "Check build compatibility",
  description: "Whether this build has the features that a client requires.",
  access: "public",
  example: {},
  body: z
    .object({
      required_features: z.array(z.string().max(200)).max(1000).default([]),
      manifest_schema: z
        .string()
        .max(200)
        .nullish()
        .describe("Schema version of the manifest to be installed, if any"),
    })
    .meta({ id: "CheckCompatibility" }),
  response: {
    status: 200,
    schema: z
      .object({
        compatible: z.boolean(),
        missing: z.array(z.string()).describe("Required features that this build lacks"),
        manifest_schema_supported: z.boolean(),
        upgrade_required: z.boolean(),
        feature_set_hash: z.string(),
      })
      .meta({ id: "Compatibility" }),
  },
  handler: async ({ body }) => {
    const known: ReadonlySet<string> = new Set(FEATURES);
    const missing = body.required_features.filter((feature) => !known.has(feature));
    const schema = body.manifest_schema ?? undefined;
    const isSupported = schema === undefined || MANIFEST_SCHEMAS.includes(schema);
    const isCompatible = missing.length === 0 && isSupported;
    return {
      compatible: isCompatible,
      missing,
      manifest_schema_supported: isSupported,
      upgrade_required: !isCompatible,
      feature_set_hash: featureSetHash,
    };
  },
});
