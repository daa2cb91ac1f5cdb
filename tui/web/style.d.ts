// Sheets are bundled by src/serve/console/build.ts.

declare module "*.css" {}
