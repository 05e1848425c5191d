import type { Endpoint } from "#src/http/endpoint.ts";
import { authorizeMcpServer, describeMcpClient, disconnectMcpServer, mcpCallback } from "./authorize.ts";
import { createMcpServer } from "./create.ts";
import { deleteMcpServer } from "./delete.ts";
import { getMcpServer, listMcpServerTools } from "./get.ts";
import { listMcpServers } from "./list.ts";
import { allowStdioServer, listStdioServers } from "./stdio.ts";
import { testMcpServer } from "./test.ts";
import { updateMcpServer } from "./update.ts";

export const mcpServerEndpoints: readonly Endpoint[] = [
  listMcpServers,
  createMcpServer,
  getMcpServer,
  updateMcpServer,
  deleteMcpServer,
  testMcpServer,
  listMcpServerTools,
  listStdioServers,
  allowStdioServer,
  authorizeMcpServer,
  disconnectMcpServer,
  describeMcpClient,
  mcpCallback,
];
