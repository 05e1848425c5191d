import { type ScriptedRequest, startScriptedProvider } from "./scripted-provider.ts";

/** A call as the provider saw it. */
export type ProviderCall = Pick<ScriptedRequest, "path" | "headers"> & { model: string };

export interface ModelProviderServer {
  url: string;
  calls: ProviderCall[];
  /** Awaited before a call is answered; `status` answers it with an error that quotes the key, `location` with a redirect. */
  before: ((call: ProviderCall) => Promise<unknown> | { status: number } | { location: string }) | undefined;
  close(): Promise<void>;
}

/**
 * A provider of models that keeps what it was sent. To a message with `two turns` it answers with a call of a tool, then with `The
 * work is done.`; to any other with `Hello.`
 */
export async function startModelProvider(): Promise<ModelProviderServer> {
  const usage = { input: 10, output: 5 };
  const scripted = await startScriptedProvider({
    "two turns": [
      { calls: [{ name: "write_file", arguments: { path: "a.txt", content: "a" } }], usage },
      { text: ["The work is done."], usage },
    ],
    "": { text: ["Hello."], usage },
  });
  const { origin: url } = scripted;
  const close = () => scripted.close();
  const provider: ModelProviderServer = { url, calls: [], before: undefined, close };
  scripted.instead = async ({ path, headers, body }) => {
    const call = { path, headers, model: String(body["model"]) };
    provider.calls.push(call);
    const instead = await provider.before?.(call);
    if (!instead || typeof instead !== "object") return undefined;
    const key = `${String(headers["authorization"])}${String(headers["x-api-key"])}`;
    if ("status" in instead) {
      return { refusal: { status: Number(instead.status), message: `Incorrect API key: ${key}` } };
    }
    if (!("location" in instead)) return undefined;
    const location = String(instead.location);
    return (response) => void response.writeHead(307, { location }).end();
  };
  return provider;
}
