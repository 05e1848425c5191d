import type { Endpoint } from "#src/http/endpoint.ts";
import { addCustomModel, deleteCustomModel } from "./custom.ts";
import { listModels } from "./list.ts";

export const modelEndpoints: readonly Endpoint[] = [listModels, addCustomModel, deleteCustomModel];
