import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { apiClient } from "./api-client.ts";
import { SHARED, type SharedName, type SharedStack } from "./shared-service.ts";
import { startOnCopy, type Templates } from "./start-on-copy.ts";

/**
 * Starts the services that test files share, each when the first file asks for it, and closes them at the end of the run.
 * Test files run in several processes: they ask over HTTP, at the returned address, with a name of `SHARED` as the body.
 */
export async function startServiceKeeper(
  templates: Templates,
): Promise<{ url: string; service(name: SharedName): Promise<SharedStack>; close(): Promise<void> }> {
  const started = new AsyncDisposableStack();
  const services = new Map<string, Promise<SharedStack>>();

  const start = async (name: SharedName): Promise<SharedStack> => {
    const own = await startOnCopy(templates, SHARED[name]);
    started.defer(() => own.close());
    // The first account becomes the administrator, which no account of a test may be.
    await apiClient(own.stack.url).signUp("administrator");
    const { url, variables, callbacksUrl, mailUrl, chatPlatformUrl, stripeUrl, hostingUrl, logFile } =
      own.stack;
    return { url, variables, callbacksUrl, mailUrl, chatPlatformUrl, stripeUrl, hostingUrl, logFile };
  };
  const service = (name: SharedName): Promise<SharedStack> => {
    const found = services.get(name) ?? start(name);
    services.set(name, found);
    return found;
  };

  const server = createServer((request, response) => {
    void (async () => {
      const name = await text(request);
      const found = isShared(name) ? await service(name) : undefined;
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(found ?? null));
    })().catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a server over TCP has
  const { port } = server.address() as AddressInfo;
  started.defer(async () => {
    server.closeAllConnections();
    await new Promise((closed) => void server.close(closed));
  });
  return { url: `http://127.0.0.1:${port}`, service, close: () => started.disposeAsync() };
}

function isShared(name: string): name is SharedName {
  return Object.hasOwn(SHARED, name);
}
