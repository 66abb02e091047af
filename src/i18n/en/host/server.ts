// What the panel's own server says without its pages.
export const server = {
  notBuilt: `The pages of this panel have not been built.
Run \`npm run build:pages\` in the folder of its sources, then start the panel again.
Until then the command line works: \`{{command}} setup\` makes the administrator, \`{{command}} key add\` an API key.
`,
} as const;
