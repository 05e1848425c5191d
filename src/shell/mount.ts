/** Where commands see the project. Links with absolute targets below it stay inside the project. */
export const PROJECT_MOUNT = "/app";
