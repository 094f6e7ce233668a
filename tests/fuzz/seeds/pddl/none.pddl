(define (problem p) (:objects )
(:init (handempty))
(:goal (and)))
