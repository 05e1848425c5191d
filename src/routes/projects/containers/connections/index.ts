import type { Endpoint } from "#src/http/endpoint.ts";
import { createConnection } from "./create.ts";
import { deleteConnection } from "./delete.ts";
import { listConnections } from "./list.ts";

export const connectionEndpoints: readonly Endpoint[] = [listConnections, createConnection, deleteConnection];
