import { afterAll, beforeAll, describe } from "vitest";
import { agentToolsContract } from "#test/contracts/agent-tools/index.ts";
import { NO_BUBBLEWRAP, SKIPPED, startTestHost, type TestHost } from "./support/runtime-host.ts";

describe.skipIf(NO_BUBBLEWRAP)(`the host driver${SKIPPED}`, () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startTestHost();
  });
  afterAll(() => host?.close());

  agentToolsContract("bubblewrap", async () => host.newProject());
});
