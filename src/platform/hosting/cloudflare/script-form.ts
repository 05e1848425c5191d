import type { Upload } from "../api.ts";
import type { Release, ReleaseFile } from "../hosting.ts";

/** Behaviour of the runtime as of this day. */
const COMPATIBILITY_DATE = "2025-10-01";
const MAIN_MODULE = "index.js";
/** Name of the files in the script. */
const FILES_BINDING = "STATIC_FILES";

/** Files at the root that say how the others are served; they are settings of the script, and no assets. */
const SETTINGS = ["_headers", "_redirects"] as const;

export const isSettings = ({ path }: ReleaseFile) =>
  path === ".assetsignore" || SETTINGS.some((name) => name === path);

/**
 * The form that uploads a script: files alone, which need no program. Variables need one, because Cloudflare gives a script of
 * files none: the smallest that serves the files.
 */
export async function scriptForm({ env, files }: Release, jwt: string): Promise<Upload> {
  const list = files?.list ?? [];
  const settings: Record<string, string> = {};
  for (const name of SETTINGS) {
    const file = list.find(({ path }) => path === name);
    if (files && file) settings[name] = new TextDecoder().decode(await files.read(file));
  }
  const hasNotFoundPage = list.some(({ path }) => path === "404.html");
  const assets = {
    jwt,
    config: { ...settings, ...(hasNotFoundPage && { not_found_handling: "404-page" }) },
  };
  const variables = Object.entries(env);
  const metadata = {
    compatibility_date: COMPATIBILITY_DATE,
    assets,
    ...(variables.length > 0 && {
      main_module: MAIN_MODULE,
      bindings: [
        { type: "assets", name: FILES_BINDING },
        ...variables.map(([name, text]) => ({ type: "secret_text", name, text })),
      ],
    }),
  };
  const form = new FormData();
  form.set("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
  if (variables.length > 0) {
    const program = `export default { fetch: (request, env) => env.${FILES_BINDING}.fetch(request) };\n`;
    form.set(MAIN_MODULE, new File([program], MAIN_MODULE, { type: "application/javascript+module" }));
  }
  return { bytes: JSON.stringify(metadata).length, body: form };
}
