/** Path of the project for commands. Links with absolute targets below it stay inside the project. */
export const PROJECT_MOUNT = "/app";
