export { beginCompletion, type Completion } from "./begin-completion.ts";
export { listModels, type OfferedModels } from "./list-models.ts";
export { toChunks, toCompletion, type Heading } from "./to-completion.ts";
export { CompletionBody } from "./wire.ts";
