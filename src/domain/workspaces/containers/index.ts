export { analyzeProject } from "./analyze-project.ts";
export { applyConfig } from "./apply-config.ts";
export { createPreview, deletePreview, listPreviews, updatePreview } from "./browser-previews.ts";
export { ConfigDocument, EMPTY_DOCUMENT, SettledDocument, settleDocument } from "./config-document.ts";
export { readConfigFile } from "./config-file.ts";
export { createConnection, deleteConnection, listConnections } from "./connections.ts";
export { checkHealth } from "./container-health.ts";
export {
  containerUrl,
  hasPreviewPaths,
  parsePreviewHost,
  previewPath,
  type PreviewAddresses,
} from "./container-url.ts";
export { createContainer, type ContainerInput } from "./create-container.ts";
export { deleteContainer } from "./delete-container.ts";
export {
  MAX_VALUE_LENGTH,
  openVariables,
  redactVariables,
  requireVariableBounds,
  sealVariables,
  VARIABLE_NAME,
  type Variables,
} from "./environment.ts";
export { injectedKeys } from "./injected-variables.ts";
export { listContainers, watchContainers, withContainers } from "./list-containers.ts";
export { sanitizeName } from "./names.ts";
export { effectivePort } from "./ports.ts";
export { projectVariables } from "./project-variables.ts";
export {
  containersOf,
  sealedVariables,
  type BrowserPreview,
  type Connection,
  type Container,
} from "./queries.ts";
export { readLogs } from "./read-logs.ts";
export {
  openContainer,
  requireContainer,
  type ContainerPath,
  type OpenedContainer,
} from "./require-container.ts";
export { revealVariable } from "./reveal-variable.ts";
export { withoutOutput } from "./run-program.ts";
export { secretVariables } from "./secret-variables.ts";
export { isStatic, startContainers, type ContainerOutcome } from "./start-containers.ts";
export { refreshContainers, setContainersWanted, stopContainers } from "./stop-containers.ts";
export { syncConfig } from "./sync-config.ts";
export {
  renameContainer,
  setCredentials,
  setDeploymentTarget,
  updateContainer,
  type ContainerPatch,
} from "./update-container.ts";
export { watchLogs } from "./watch-logs.ts";
