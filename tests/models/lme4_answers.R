# Answers of lme4 to the sets that tests/mixed_sets.py writes: Rscript lme4_answers.R FOLDER OUT
# lme4's optimizers stop at six digits or so. From there a few steps of Newton's, with differences of lme4's own
# deviance, go to the optimum; parameters that are zero stay there.
suppressPackageStartupMessages(library(lme4))
given <- commandArgs(trailingOnly = TRUE)

polished <- function(deviance, theta, lower) {
  free <- which(!(lower == 0 & theta < 1e-4))
  theta[setdiff(seq_along(theta), free)] <- 0
  if (!length(free)) return(theta)
  at <- function(x) { full <- theta; full[free] <- x; deviance(full) }
  h <- 1e-3
  slopes <- function(x) sapply(seq_along(x), function(j) {
    e <- replace(numeric(length(x)), j, h)
    (8 * (at(x + e) - at(x - e)) - (at(x + 2 * e) - at(x - 2 * e))) / (12 * h)
  })
  x <- theta[free]
  for (round in 1:6) {
    g <- slopes(x)
    H <- sapply(seq_along(x), function(j) {
      e <- replace(numeric(length(x)), j, h)
      (slopes(x + e) - slopes(x - e)) / (2 * h)
    })
    step <- tryCatch(solve((H + t(H)) / 2, g), error = function(e) 0 * x)
    if (any(lower[free] == 0 & x - step < 2 * h) || at(x - step) > at(x) + 1e-8) break
    x <- x - step
  }
  theta[free] <- x
  theta
}

answer <- function(number) {
  rows <- read.csv(file.path(given[1], paste0(number, ".csv")))
  rows$store <- factor(rows$store)
  rows$country <- factor(rows$country)
  formula <- as.formula(readLines(file.path(given[1], paste0(number, ".txt")), warn = FALSE))
  parsed <- lFormula(formula, rows, REML = TRUE)
  deviance <- do.call(mkLmerDevfun, parsed)
  found <- optimizeLmer(deviance, optimizer = "bobyqa", control = list(rhoend = 1e-10, maxfun = 100000))
  theta <- polished(deviance, found$par, environment(deviance)$lower)
  if (deviance(theta) > found$fval + 1e-9) theta <- found$par
  value <- deviance(theta)
  opt <- list(par = theta, fval = value, feval = 0, conv = 0, message = "")
  fit <- mkMerMod(environment(deviance), opt, parsed$reTrms, fr = parsed$fr)
  parts <- lapply(VarCorr(fit), function(V) as.vector(V))
  effects <- lapply(ranef(fit), function(u) as.vector(t(as.matrix(u)[1:3, , drop = FALSE])))
  list(criterion = value, fixed = unname(fixef(fit)), errors = unname(sqrt(diag(as.matrix(vcov(fit))))),
       residual = sigma(fit)^2, components = parts, effects = effects)
}

text <- function(x) {
  if (is.list(x)) {
    paste0("{", paste0('"', names(x), '": ', sapply(x, text), collapse = ", "), "}")
  } else if (length(x) == 1 && is.null(dim(x))) sprintf("%.15g", x)
  else paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
}
numbers <- sort(as.integer(sub(".csv", "", list.files(given[1], "csv$"))))
found <- suppressMessages(suppressWarnings(sapply(numbers, function(number) text(answer(number)))))
writeLines(paste0('{"lme4": "', packageVersion("lme4"), '", "answers": [\n', paste(found, collapse = ",\n"), "\n]}"), given[2])
