(define (problem p) (:objects a b - block)
(:init (holding a) (ontable b) (clear b))
(:goal (and (on a b))))
